package io.anabranch.verbs;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A work request to send: RDMA WRITE, with or without immediate. Mutable, and free to be changed
 * and posted again as soon as the post has returned, so that posting allocates nothing. Not for use
 * by two threads at once.
 */
public final class SendRequest {
  /** Longest message: 2^32 − 1 bytes. */
  public static final long MAX_LENGTH_BYTES = 0xffff_ffffL;

  long id;
  long remoteAddress;
  int rKey;
  boolean withImmediate;
  int immediate;
  boolean signaled;
  boolean solicited;
  boolean inline;
  boolean fence;
  int sgeCount;
  @Nullable MemoryRegion[] regions = new MemoryRegion[1];
  @Nullable MemorySegment[] segments = new MemorySegment[1];
  long[] offsets = new long[1];
  long[] lengths = new long[1];

  /** A WRITE of nothing yet, not signaled. */
  public SendRequest(long id) {
    this.id = id;
  }

  /** Sets the id that its completion carries. */
  public SendRequest id(long value) {
    id = value;
    return this;
  }

  /** The id that its completion carries. */
  public long id() {
    return id;
  }

  /**
   * Makes it a WRITE without immediate.
   *
   * @param address where to write at the peer, in its region's addresses
   * @param key the region's R_Key
   */
  public SendRequest write(long address, int key) {
    remoteAddress = address;
    rKey = key;
    withImmediate = false;
    immediate = 0;
    return this;
  }

  /**
   * Makes it a WRITE with Immediate, which consumes a receive of the peer's. It may be of length 0;
   * address and key are then not looked at.
   *
   * @param value the immediate that the peer's completion carries
   */
  public SendRequest writeWithImmediate(long address, int key, int value) {
    remoteAddress = address;
    rKey = key;
    withImmediate = true;
    immediate = value;
    return this;
  }

  /** Forgets the bytes to send. */
  public SendRequest clear() {
    Arrays.fill(regions, 0, sgeCount, null);
    Arrays.fill(segments, 0, sgeCount, null);
    sgeCount = 0;
    inline = false;
    return this;
  }

  /**
   * Adds a piece of a region to the bytes to send (a scatter/gather element).
   *
   * @param region in the queue pair's protection domain
   * @param offset from the region's start, bytes
   * @param lengthBytes bytes; 0 is allowed
   */
  public SendRequest gather(MemoryRegion region, long offset, long lengthBytes) {
    int i = element(offset, lengthBytes);
    regions[i] = region;
    return this;
  }

  /**
   * Adds memory that need not be registered, and makes the request inline: the bytes are copied
   * while it is posted.
   */
  public SendRequest gatherInline(MemorySegment data) {
    int i = element(0, data.byteSize());
    segments[i] = data;
    inline = true;
    return this;
  }

  private int element(long offset, long lengthBytes) {
    if (sgeCount == regions.length) {
      regions = Arrays.copyOf(regions, sgeCount * 2);
      segments = Arrays.copyOf(segments, sgeCount * 2);
      offsets = Arrays.copyOf(offsets, sgeCount * 2);
      lengths = Arrays.copyOf(lengths, sgeCount * 2);
    }
    offsets[sgeCount] = offset;
    lengths[sgeCount] = lengthBytes;
    return sgeCount++;
  }

  /**
   * Whether success gives a completion; failure always does. Without effect for a queue pair that
   * signals all.
   */
  public SendRequest signaled(boolean value) {
    signaled = value;
    return this;
  }

  /** Whether the peer's completion is one that notifies those who asked for solicited ones only. */
  public SendRequest solicited(boolean value) {
    solicited = value;
    return this;
  }

  /** Whether the bytes are copied while it is posted, so that their memory is free at once. */
  public SendRequest inline(boolean value) {
    inline = value;
    return this;
  }

  /**
   * Fences order writes after reads; MRC has no reads, so posting a request with one is refused.
   */
  public SendRequest fence(boolean value) {
    fence = value;
    return this;
  }
}

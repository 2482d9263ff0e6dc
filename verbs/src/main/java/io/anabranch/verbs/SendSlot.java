package io.anabranch.verbs;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A posted message, from its post to its completion; then used for another. */
final class SendSlot {
  private static final byte[] NOTHING = new byte[0];

  long id;
  boolean signaled;
  long remoteAddress;
  int rKey;
  long lengthBytes;
  boolean withImmediate;
  int immediate;
  boolean solicited;

  /** Its memory was gone when it was to be sent. Written and read by the driver's thread only. */
  boolean broken;

  private final @Nullable MemoryRegion[] regions;
  private final long[] offsets;
  private final long[] lengths;
  private int sgeCount;
  private byte[] inline = NOTHING;
  private boolean isInline;

  SendSlot(int maxSge) {
    regions = new MemoryRegion[maxSge];
    offsets = new long[maxSge];
    lengths = new long[maxSge];
  }

  /** Takes over a checked request, whose regions have been counted as used. */
  void fill(SendRequest r, boolean signal, long totalBytes, int maxInline) {
    id = r.id;
    signaled = signal;
    remoteAddress = r.remoteAddress;
    rKey = r.rKey;
    lengthBytes = totalBytes;
    withImmediate = r.withImmediate;
    immediate = r.immediate;
    solicited = r.solicited;
    broken = false;
    isInline = r.inline;
    sgeCount = isInline ? 0 : r.sgeCount;
    for (int i = 0; i < sgeCount; i++) {
      regions[i] = r.regions[i];
      offsets[i] = r.offsets[i];
      lengths[i] = r.lengths[i];
    }
    if (isInline) {
      if (inline.length < totalBytes) {
        inline = new byte[maxInline];
      }
      copyInline(r);
    }
  }

  private void copyInline(SendRequest r) {
    int at = 0;
    for (int i = 0; i < r.sgeCount; i++) {
      int n = (int) r.lengths[i];
      MemoryRegion region = r.regions[i];
      var segment = region == null ? r.segments[i] : region.segment();
      if (segment != null) {
        var into = java.lang.foreign.MemorySegment.ofArray(inline);
        java.lang.foreign.MemorySegment.copy(segment, r.offsets[i], into, at, n);
      }
      at += n;
    }
  }

  /** Fills a buffer with the message's bytes from {@code offset} on. */
  void read(long offset, ByteBuffer into) {
    if (isInline) {
      into.put(inline, (int) offset, into.remaining());
      return;
    }
    long skip = offset;
    for (int i = 0; i < sgeCount && into.hasRemaining(); i++) {
      MemoryRegion region = regions[i];
      if (skip < lengths[i] && region != null) {
        int n = (int) Math.min(lengths[i] - skip, into.remaining());
        region.read(offsets[i] + skip, into, n);
        skip = 0;
      } else {
        skip -= lengths[i];
      }
    }
  }

  /** Gives its regions back. */
  void release() {
    for (int i = 0; i < sgeCount; i++) {
      MemoryRegion region = regions[i];
      if (region != null) {
        region.unuse();
        regions[i] = null;
      }
    }
    sgeCount = 0;
  }
}

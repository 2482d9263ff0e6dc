package io.anabranch.fabric.link;

import io.anabranch.wire.mrc.Frame;
import java.util.Arrays;

/**
 * The packets under way: the engine's frames in one slab of slots, and beside it what a hop needs,
 * so that passing a switch never touches the frame. Packets are numbers; each stands in at most one
 * list (a queue or a wire), linked by {@link #next}.
 *
 * <pre>
 * hop word 0  next packet (32), size in bytes (16), flags (16)
 * hop word 1  hash of the flow and EV (32), destination (32)
 * </pre>
 */
public final class Packets {
  /** No packet. */
  public static final int NONE = -1;

  /** A packet of the control class: control frames and trimmed headers. */
  public static final int CONTROL = 1;

  /** A data packet, whole or trimmed. */
  public static final int DATA = 2;

  /** A packet that a switch cut down to its headers. */
  public static final int TRIMMED = 4;

  /** A packet that was on a link when that failed: it is gone, though its time is still to come. */
  public static final int GONE = 16;

  /** A packet with bits flipped. */
  public static final int DAMAGED = 32;

  /** A packet whose SRH's segment is still to come. */
  private static final int SEGMENT_LEFT = 64;

  private static final int PASSED_SHIFT = 8;

  private static final int FIRST_CAPACITY = 1024;
  private static final int HOP_WORDS = 2;

  private final boolean segments;
  private long[] frames = new long[Frame.WORDS * FIRST_CAPACITY];
  private long[] hops = new long[HOP_WORDS * FIRST_CAPACITY];
  private long[] segmentsHi = new long[0];
  private long[] segmentsLo = new long[0];
  private final boolean srh;
  private long[] srhHi = new long[0];
  private long[] srhLo = new long[0];
  private int capacity = FIRST_CAPACITY;
  private int free = NONE;
  private int used;
  private int inUse;

  /**
   * No packet.
   *
   * @param segments whether packets carry a uSID container
   */
  public Packets(boolean segments) {
    this(segments, false);
  }

  /**
   * No packet.
   *
   * @param segments whether packets carry a uSID container
   * @param srh whether they carry another one in an SRH
   */
  public Packets(boolean segments, boolean srh) {
    this.segments = segments;
    this.srh = srh;
    if (srh) {
      srhHi = new long[capacity];
      srhLo = new long[capacity];
    }
    if (segments) {
      segmentsHi = new long[capacity];
      segmentsLo = new long[capacity];
    }
  }

  /** Takes a free slot; its contents are undefined. It may move the slab: wrap frames anew. */
  public int take() {
    inUse++;
    int packet = free;
    if (packet != NONE) {
      free = next(packet);
      return packet;
    }
    if (used == capacity) {
      grow();
    }
    return used++;
  }

  private void grow() {
    if (capacity > Integer.MAX_VALUE / Frame.WORDS / 2) {
      throw new IllegalStateException("more than " + capacity + " packets under way");
    }
    capacity *= 2;
    frames = Arrays.copyOf(frames, Frame.WORDS * capacity);
    hops = Arrays.copyOf(hops, HOP_WORDS * capacity);
    if (segments) {
      segmentsHi = Arrays.copyOf(segmentsHi, capacity);
      segmentsLo = Arrays.copyOf(segmentsLo, capacity);
    }
    if (srh) {
      srhHi = Arrays.copyOf(srhHi, capacity);
      srhLo = Arrays.copyOf(srhLo, capacity);
    }
  }

  /** Gives a slot back. */
  public void release(int packet) {
    inUse--;
    next(packet, free);
    free = packet;
  }

  /** Packets under way. */
  public int inUse() {
    return inUse;
  }

  /** Moves a flyweight to a packet's frame. */
  public Frame wrap(Frame frame, int packet) {
    return frame.wrap(frames, packet * Frame.WORDS);
  }

  /** Sets all that a hop needs. */
  public void describe(int packet, int bytes, int flags, int hash, int destination) {
    int i = packet * HOP_WORDS;
    hops[i] = (long) NONE << 32 | (long) bytes << 16 | flags;
    hops[i + 1] = (long) hash << 32 | destination;
  }

  /** The packet behind it in its list. */
  public int next(int packet) {
    return (int) (hops[packet * HOP_WORDS] >> 32);
  }

  /** Sets {@link #next(int)}. */
  public void next(int packet, int other) {
    int i = packet * HOP_WORDS;
    hops[i] = hops[i] & 0xffff_ffffL | (long) other << 32;
  }

  /** Bytes that it takes on a link. */
  public int bytes(int packet) {
    return (int) hops[packet * HOP_WORDS] >>> 16;
  }

  /** Its flags. */
  public int flags(int packet) {
    return (int) hops[packet * HOP_WORDS] & 0xffff;
  }

  /** Sets a flag. */
  public void flag(int packet, int flag) {
    hops[packet * HOP_WORDS] |= flag;
  }

  /** Counts a switch that it passes while it may be astray. */
  public void pass(int packet) {
    hops[packet * HOP_WORDS] += 1 << PASSED_SHIFT;
  }

  /** Switches counted with {@link #pass}. */
  public int passed(int packet) {
    return flags(packet) >>> PASSED_SHIFT;
  }

  /** Hash of its addresses, ports and EV; where an EV names a path, the bits that do. */
  public int hash(int packet) {
    return (int) (hops[packet * HOP_WORDS + 1] >>> 32);
  }

  /** Sets {@link #hash(int)}. */
  public void hash(int packet, int hash) {
    int i = packet * HOP_WORDS + 1;
    hops[i] = (long) hash << 32 | hops[i] & 0xffff_ffffL;
  }

  /** The host that it goes to, as the topology numbers destinations. */
  public int destination(int packet) {
    return (int) hops[packet * HOP_WORDS + 1];
  }

  /** A switch cuts it down to {@code bytes}: from now on it is of the control class. */
  public void trim(int packet, int bytes) {
    int i = packet * HOP_WORDS;
    hops[i] = hops[i] & ~0xffff_ffffL | (long) bytes << 16 | flags(packet) | CONTROL | TRIMMED;
  }

  /** High half of its uSID container: the outer destination address. */
  public long segmentsHi(int packet) {
    return segmentsHi[packet];
  }

  /** Low half of its uSID container. */
  public long segmentsLo(int packet) {
    return segmentsLo[packet];
  }

  /** Sets its uSID container. */
  public void segments(int packet, long hi, long lo) {
    segmentsHi[packet] = hi;
    segmentsLo[packet] = lo;
  }

  /** Whether packets carry an SRH. */
  public boolean srh() {
    return srh;
  }

  /** High half of the container that is its SRH's only segment. */
  public long srhHi(int packet) {
    return srhHi[packet];
  }

  /** Low half of the container in its SRH. */
  public long srhLo(int packet) {
    return srhLo[packet];
  }

  /** Whether the SRH's segment is still to come: 1 or 0, as the field of that name. */
  public int segmentsLeft(int packet) {
    return (flags(packet) & SEGMENT_LEFT) == 0 ? 0 : 1;
  }

  /** Sets the container in its SRH and {@link #segmentsLeft}. */
  public void srh(int packet, long hi, long lo, int segmentsLeft) {
    srhHi[packet] = hi;
    srhLo[packet] = lo;
    hops[packet * HOP_WORDS] |= segmentsLeft == 0 ? 0 : SEGMENT_LEFT;
  }

  /** The SRH's segment becomes its uSID container. */
  public void nextSegment(int packet) {
    segments(packet, srhHi[packet], srhLo[packet]);
    hops[packet * HOP_WORDS] &= ~SEGMENT_LEFT;
  }
}

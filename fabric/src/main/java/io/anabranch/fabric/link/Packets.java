package io.anabranch.fabric.link;

import io.anabranch.wire.mrc.Frame;
import java.util.Arrays;

/**
 * The packets under way: the engine's frames in one slab of slots, and beside it what a hop needs,
 * so that passing a switch never touches the frame. Packets are numbers. Queues and wires hold with
 * each what a hop needs of it, so that it need not be looked up here, far apart for each packet:
 *
 * <pre>
 * entry  packet (32), size in bytes (16), flags (16)
 * route  hash of the flow and EV (32), destination (32)
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

  private static final int PASSED_SHIFT = 8;

  private static final int FIRST_CAPACITY = 1024;

  private final boolean segments;
  private long[] frames = new long[Frame.WORDS * FIRST_CAPACITY];
  private int[] sizes = new int[FIRST_CAPACITY];
  private long[] routes = new long[FIRST_CAPACITY];
  private long[] segmentsHi = new long[0];
  private long[] segmentsLo = new long[0];
  private int capacity = FIRST_CAPACITY;
  private int[] free = new int[FIRST_CAPACITY];
  private int freeCount;
  private int used;

  // The packet at hand, and its route.
  private int looked = NONE;
  private long lookedRoute;

  /**
   * No packet.
   *
   * @param segments whether packets carry a uSID container
   */
  public Packets(boolean segments) {
    this.segments = segments;
    if (segments) {
      segmentsHi = new long[capacity];
      segmentsLo = new long[capacity];
    }
  }

  /** Takes a free slot; its contents are undefined. It may move the slab: wrap frames anew. */
  public int take() {
    if (freeCount > 0) {
      return free[--freeCount];
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
    sizes = Arrays.copyOf(sizes, capacity);
    routes = Arrays.copyOf(routes, capacity);
    free = Arrays.copyOf(free, capacity);
    if (segments) {
      segmentsHi = Arrays.copyOf(segmentsHi, capacity);
      segmentsLo = Arrays.copyOf(segmentsLo, capacity);
    }
  }

  /** Gives a slot back. */
  public void release(int packet) {
    free[freeCount++] = packet;
  }

  /** Packets under way. */
  public int inUse() {
    return used - freeCount;
  }

  /** Moves a flyweight to a packet's frame. */
  public Frame wrap(Frame frame, int packet) {
    return frame.wrap(frames, packet * Frame.WORDS);
  }

  /** Sets all that a hop needs. */
  public void describe(int packet, int bytes, int flags, int hash, int destination) {
    sizes[packet] = bytes << 16 | flags;
    routes[packet] = (long) hash << 32 | destination;
    looked = NONE;
  }

  /** What a queue or a wire holds of it. */
  long entry(int packet) {
    return (long) packet << 32 | sizes[packet] & 0xffff_ffffL;
  }

  /** The other half of that. */
  long route(int packet) {
    return routes[packet];
  }

  /** The packet of an entry. */
  static int packetOf(long entry) {
    return (int) (entry >>> 32);
  }

  /** Its size as it was when it was put in. */
  static int bytesOf(long entry) {
    return (int) entry >>> 16;
  }

  /** Its flags as they were. */
  static int flagsOf(long entry) {
    return (int) entry & 0xffff;
  }

  /** Tells the route of a packet that is about to be asked for its hash and destination. */
  void look(int packet, long route) {
    looked = packet;
    lookedRoute = route;
  }

  /** Bytes that it takes on a link. */
  public int bytes(int packet) {
    return sizes[packet] >>> 16;
  }

  /** Its flags. */
  public int flags(int packet) {
    return sizes[packet] & 0xffff;
  }

  /** Sets a flag. */
  public void flag(int packet, int flag) {
    sizes[packet] |= flag;
  }

  /** Counts a switch that it passes while it may be astray. */
  public void pass(int packet) {
    sizes[packet] += 1 << PASSED_SHIFT;
  }

  /** Switches counted with {@link #pass}. */
  public int passed(int packet) {
    return flags(packet) >>> PASSED_SHIFT;
  }

  /** Hash of its addresses, ports and EV; where an EV names a path, the bits that do. */
  public int hash(int packet) {
    return (int) ((packet == looked ? lookedRoute : routes[packet]) >>> 32);
  }

  /** The host that it goes to, as the topology numbers destinations. */
  public int destination(int packet) {
    return (int) (packet == looked ? lookedRoute : routes[packet]);
  }

  /** A switch cuts it down to {@code bytes}: from now on it is of the control class. */
  public void trim(int packet, int bytes) {
    sizes[packet] = bytes << 16 | flags(packet) | CONTROL | TRIMMED;
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
}

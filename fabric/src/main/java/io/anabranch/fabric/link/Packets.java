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

  /** A packet whose SRH's segment is still to come. */
  private static final int SEGMENT_LEFT = 64;

  private static final int PASSED_SHIFT = 8;

  private static final int PAGE_BITS = 10;
  private static final int PAGE = 1 << PAGE_BITS;
  private static final int WITHIN = PAGE - 1;

  // A packet's frame, then its size and flags, and its route.
  private static final int SIZE = Frame.WORDS;
  private static final int ROUTE = Frame.WORDS + 1;
  private static final int WORDS = Frame.WORDS + 2;
  private static final int PAGES = 1 << 15;

  private final boolean segments;
  private final boolean srh;
  private final int segmentWords;
  private final long[][] pages;
  private final long[][] segmentPages;

  // Of several that share a slab each adds pages of its own: the step is how many there are.
  private int nextPage;
  private final int pageStep;
  private int[] free = new int[PAGE];
  private int freeCount;
  private int used;
  private int usedEnd;
  private long inUse;

  // The packet at hand, and its route.
  private int looked = NONE;
  private long lookedRoute;

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
    this(segments, srh, 0, 1, new long[PAGES][], new long[PAGES][]);
  }

  private Packets(
      boolean segments, boolean srh, int firstPage, int pageStep, long[][] pages, long[][] more) {
    this.segments = segments;
    this.srh = srh;
    segmentWords = srh ? 4 : 2;
    nextPage = firstPage;
    this.pageStep = pageStep;
    this.pages = pages;
    segmentPages = more;
  }

  /**
   * As many as are wanted that know each other's packets: what is taken of one may be released to
   * another.
   */
  public static Packets[] shared(boolean segments, boolean srh, int n) {
    long[][] pages = new long[PAGES][];
    long[][] segmentPages = new long[PAGES][];
    Packets[] all = new Packets[n];
    for (int i = 0; i < n; i++) {
      all[i] = new Packets(segments, srh, i, n, pages, segmentPages);
    }
    return all;
  }

  /** Takes a free slot; its contents are undefined. */
  public int take() {
    inUse++;
    if (freeCount > 0) {
      return free[--freeCount];
    }
    if (used == usedEnd) {
      addPage();
    }
    return used++;
  }

  private void addPage() {
    if (nextPage >= PAGES) {
      throw new IllegalStateException("more than " + (PAGES << PAGE_BITS) + " packets under way");
    }
    pages[nextPage] = new long[WORDS << PAGE_BITS];
    if (segments) {
      segmentPages[nextPage] = new long[segmentWords << PAGE_BITS];
    }
    used = nextPage << PAGE_BITS;
    usedEnd = used + PAGE;
    nextPage += pageStep;
  }

  /** Gives a slot back. */
  public void release(int packet) {
    inUse--;
    if (freeCount == free.length) {
      free = Arrays.copyOf(free, 2 * freeCount);
    }
    free[freeCount++] = packet;
  }

  /** Packets taken less those released; with others that share the slab, the sum counts. */
  public long inUse() {
    return inUse;
  }

  private long[] page(int packet) {
    return pages[packet >>> PAGE_BITS];
  }

  private static int at(int packet) {
    return (packet & WITHIN) * WORDS;
  }

  /** Moves a flyweight to a packet's frame. */
  public Frame wrap(Frame frame, int packet) {
    return frame.wrap(page(packet), at(packet));
  }

  /** Reads of a packet's frame, so that it is at hand when it is needed. */
  public long touch(int packet) {
    long[] page = page(packet);
    int at = at(packet);
    return page[at] + page[at + WORDS - 1];
  }

  /** Sets all that a hop needs. */
  public void describe(int packet, int bytes, int flags, int hash, int destination) {
    long[] page = page(packet);
    int at = at(packet);
    page[at + SIZE] = (long) packet << 32 | (bytes << 16 | flags) & 0xffff_ffffL;
    page[at + ROUTE] = (long) hash << 32 | destination;
    looked = NONE;
  }

  /** What a queue or a wire holds of it. */
  long entry(int packet) {
    return page(packet)[at(packet) + SIZE];
  }

  /** The other half of that. */
  long route(int packet) {
    return page(packet)[at(packet) + ROUTE];
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

  /** The route of the packet that was told of with {@link #look} last, as it is now. */
  long lookedRoute() {
    return lookedRoute;
  }

  /** Bytes that it takes on a link. */
  public int bytes(int packet) {
    return bytesOf(entry(packet));
  }

  /** Its flags. */
  public int flags(int packet) {
    return flagsOf(entry(packet));
  }

  /** Sets a flag. */
  public void flag(int packet, int flag) {
    page(packet)[at(packet) + SIZE] |= flag;
  }

  /** Counts a switch that it passes while it may be astray. */
  public void pass(int packet) {
    page(packet)[at(packet) + SIZE] += 1 << PASSED_SHIFT;
  }

  /** Switches counted with {@link #pass}. */
  public int passed(int packet) {
    return flags(packet) >>> PASSED_SHIFT;
  }

  /** Hash of its addresses, ports and EV; where an EV names a path, the bits that do. */
  public int hash(int packet) {
    return (int) ((packet == looked ? lookedRoute : route(packet)) >>> 32);
  }

  /** Sets {@link #hash(int)}. */
  public void hash(int packet, int hash) {
    long route = (long) hash << 32 | destination(packet) & 0xffff_ffffL;
    page(packet)[at(packet) + ROUTE] = route;
    look(packet, route);
  }

  /** The host that it goes to, as the topology numbers destinations. */
  public int destination(int packet) {
    return (int) (packet == looked ? lookedRoute : route(packet));
  }

  /** A switch cuts it down to {@code bytes}: from now on it is of the control class. */
  public void trim(int packet, int bytes) {
    long cut = (long) packet << 32 | bytes << 16 | flags(packet) | CONTROL | TRIMMED;
    page(packet)[at(packet) + SIZE] = cut;
  }

  private long[] segmentPage(int packet) {
    return segmentPages[packet >>> PAGE_BITS];
  }

  private int segmentsAt(int packet) {
    return (packet & WITHIN) * segmentWords;
  }

  /** High half of its uSID container: the outer destination address. */
  public long segmentsHi(int packet) {
    return segmentPage(packet)[segmentsAt(packet)];
  }

  /** Low half of its uSID container. */
  public long segmentsLo(int packet) {
    return segmentPage(packet)[segmentsAt(packet) + 1];
  }

  /** Sets its uSID container. */
  public void segments(int packet, long hi, long lo) {
    long[] page = segmentPage(packet);
    int at = segmentsAt(packet);
    page[at] = hi;
    page[at + 1] = lo;
  }

  /** Whether packets carry an SRH. */
  public boolean srh() {
    return srh;
  }

  /** High half of the container that is its SRH's only segment. */
  public long srhHi(int packet) {
    return segmentPage(packet)[segmentsAt(packet) + 2];
  }

  /** Low half of the container in its SRH. */
  public long srhLo(int packet) {
    return segmentPage(packet)[segmentsAt(packet) + 3];
  }

  /** Whether the SRH's segment is still to come: 1 or 0, as the field of that name. */
  public int segmentsLeft(int packet) {
    return (flags(packet) & SEGMENT_LEFT) == 0 ? 0 : 1;
  }

  /** Sets the container in its SRH and {@link #segmentsLeft}. */
  public void srh(int packet, long hi, long lo, int segmentsLeft) {
    long[] page = segmentPage(packet);
    int at = segmentsAt(packet);
    page[at + 2] = hi;
    page[at + 3] = lo;
    flag(packet, segmentsLeft == 0 ? 0 : SEGMENT_LEFT);
  }

  /** The SRH's segment becomes its uSID container. */
  public void nextSegment(int packet) {
    segments(packet, srhHi(packet), srhLo(packet));
    page(packet)[at(packet) + SIZE] &= ~SEGMENT_LEFT;
  }
}

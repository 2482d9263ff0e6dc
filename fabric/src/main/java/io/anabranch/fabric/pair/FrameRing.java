package io.anabranch.fabric.pair;

import io.anabranch.wire.mrc.Frame;

/** The last things that happened, kept cheaply and written out only when an invariant breaks. */
final class FrameRing {
  /** What a line of the ring is about. */
  enum What {
    SENT,
    DELIVERED,
    DROPPED,
    NOTE
  }

  private static final int SIZE = 96;
  private final long[] words = new long[SIZE * Frame.WORDS];
  private final long[] atNs = new long[SIZE];
  private final What[] what = new What[SIZE];
  private final int[] side = new int[SIZE];
  private final int[] port = new int[SIZE];
  private final String[] note = new String[SIZE];
  private long count;

  void frame(What kind, int theSide, int thePort, Frame frame, long nowNs) {
    int i = next(kind, theSide, thePort, nowNs);
    frame.store(words, i * Frame.WORDS);
  }

  void note(int theSide, String text, long nowNs) {
    note[next(What.NOTE, theSide, 0, nowNs)] = text;
  }

  private int next(What kind, int theSide, int thePort, long nowNs) {
    int i = (int) (count++ % SIZE);
    atNs[i] = nowNs;
    what[i] = kind;
    side[i] = theSide;
    port[i] = thePort;
    note[i] = "";
    return i;
  }

  /** The lines, oldest first. */
  String dump() {
    StringBuilder out = new StringBuilder("  last frames (A and B are the sides, p the plane):\n");
    Frame frame = new Frame();
    for (long n = Math.max(0, count - SIZE); n < count; n++) {
      int i = (int) (n % SIZE);
      out.append("  ").append(atNs[i]).append(' ').append(side[i] == 0 ? 'A' : 'B');
      if (what[i] == What.NOTE) {
        out.append("     ").append(note[i]);
      } else {
        String verb =
            switch (what[i]) {
              case SENT -> " sends ";
              case DELIVERED -> " gets  ";
              default -> " loses ";
            };
        out.append('p').append(port[i] + 1).append(verb);
        FrameText.append(out, frame.wrap(words, i * Frame.WORDS));
      }
      out.append('\n');
    }
    return out.toString();
  }
}

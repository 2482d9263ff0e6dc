package io.anabranch.wire.mrc;

/** Values of SETH.M: what the requestor shall do with the EV that the SACK reflects. */
public final class Mark {
  public static final int NONE = 0;

  /** The forward path was ECN-marked: bypass the EV for one rotation. */
  public static final int SKIP_ONCE = 1;

  /** The responder judges the path persistently bad. */
  public static final int ALWAYS_SKIP = 2;

  /** Reserved; a SACK that carries it is refused. */
  public static final int RESERVED = 3;

  private Mark() {}
}

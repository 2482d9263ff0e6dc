package io.anabranch.wire.mrc;

/** Values of NETH.reason. */
public final class NackReason {
  public static final int TRIMMED = 0x01;
  public static final int TRIMMED_LASTHOP = 0x02;
  public static final int NO_BITMAP = 0x06;
  public static final int NO_PKT_BUFFER = 0x07;
  public static final int NO_RESOURCE = 0x0A;
  public static final int PSN_OOR_WINDOW = 0x0B;
  public static final int UNEXP_EVENT = 0x19;

  private NackReason() {}
}

package io.anabranch.wire.mrc;

import org.jspecify.annotations.Nullable;

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

  /** Name of a reason, or null for one that MRC 1.0 does not define. */
  public static @Nullable String name(int reason) {
    return switch (reason) {
      case TRIMMED -> "TRIMMED";
      case TRIMMED_LASTHOP -> "TRIMMED_LASTHOP";
      case NO_BITMAP -> "NO_BITMAP";
      case NO_PKT_BUFFER -> "NO_PKT_BUFFER";
      case NO_RESOURCE -> "NO_RESOURCE";
      case PSN_OOR_WINDOW -> "PSN_OOR_WINDOW";
      case UNEXP_EVENT -> "UNEXP_EVENT";
      default -> null;
    };
  }
}

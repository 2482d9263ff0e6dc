package io.anabranch.engine.path;

/** States of an EV; two bits each in {@link PathSet}. */
public final class EvState {
  /** May carry data. */
  public static final int GOOD = 0;

  /** Bypassed for one rotation: its path was marked or trimmed. */
  public static final int SKIP = 1;

  /** Out until probes succeed. */
  public static final int ASSUMED_BAD = 2;

  /** Out until the controller lifts it. */
  public static final int DENIED = 3;

  private EvState() {}
}

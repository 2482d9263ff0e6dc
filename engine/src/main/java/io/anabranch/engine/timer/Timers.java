package io.anabranch.engine.timer;

import java.util.Arrays;

/** The deadlines of one owner, by name; {@link #NEVER} where a timer does not run. */
public final class Timers {
  /** Deadline of a timer that does not run. */
  public static final long NEVER = Long.MAX_VALUE;

  private static final int KINDS = TimerName.values().length;

  private final long[] deadlineNs = new long[KINDS];
  private long earliestNs = NEVER;

  /** Whether the earliest was moved or stopped, so that another one may be it. */
  private boolean unsure;

  /** No timer runs. */
  public Timers() {
    clear();
  }

  /** Starts or moves a timer. */
  public void set(TimerName name, long atNs) {
    int i = name.ordinal();
    if (atNs <= earliestNs) {
      earliestNs = atNs;
      unsure = false;
    } else if (deadlineNs[i] == earliestNs) {
      unsure = true;
    }
    deadlineNs[i] = atNs;
  }

  /** Stops a timer. */
  public void stop(TimerName name) {
    set(name, NEVER);
  }

  /** Stops all timers. */
  public void clear() {
    Arrays.fill(deadlineNs, NEVER);
    earliestNs = NEVER;
    unsure = false;
  }

  /** When a timer ends, or {@link #NEVER}. */
  public long deadlineNs(TimerName name) {
    return deadlineNs[name.ordinal()];
  }

  /** Whether a timer has ended at {@code nowNs}. */
  public boolean due(TimerName name, long nowNs) {
    return deadlineNs[name.ordinal()] <= nowNs;
  }

  /** The earliest deadline. */
  public long earliestNs() {
    if (unsure) {
      long min = NEVER;
      for (long at : deadlineNs) {
        min = Math.min(min, at);
      }
      earliestNs = min;
      unsure = false;
    }
    return earliestNs;
  }
}

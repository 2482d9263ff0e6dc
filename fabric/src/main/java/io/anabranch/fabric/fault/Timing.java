package io.anabranch.fabric.fault;

import io.anabranch.engine.config.Check;

/** When something fails, and for how long. */
public sealed interface Timing {
  /** Until the end of the run. */
  long FOREVER = Long.MAX_VALUE;

  /** When it can first fail. */
  long fromPs();

  /**
   * Once.
   *
   * @param fromPs when
   * @param lengthPs for how long, or {@link #FOREVER}
   */
  record Once(long fromPs, long lengthPs) implements Timing {
    /** Checks ranges. */
    public Once {
      Check.range("fromPs", fromPs, 0, Fault.MAX_PS);
      if (lengthPs != FOREVER) {
        Check.range("lengthPs", lengthPs, 1, Fault.MAX_PS);
      }
    }
  }

  /**
   * Again and again.
   *
   * @param fromPs the first time
   * @param everyPs from one beginning to the next
   * @param lengthPs less than that
   */
  record Every(long fromPs, long everyPs, long lengthPs) implements Timing {
    /** Checks ranges. */
    public Every {
      Check.range("fromPs", fromPs, 0, Fault.MAX_PS);
      Check.range("everyPs", everyPs, 2, Fault.MAX_PS);
      Check.range("lengthPs", lengthPs, 1, everyPs - 1);
    }
  }

  /**
   * By chance, each element on its own.
   *
   * @param fromPs from when on
   * @param betweenFailures from being mended (at first, from {@code fromPs}) until it fails
   * @param untilMended from failing until it is mended
   */
  record Chance(long fromPs, Span betweenFailures, Span untilMended) implements Timing {
    /** Checks the range. */
    public Chance {
      Check.range("fromPs", fromPs, 0, Fault.MAX_PS);
    }
  }
}

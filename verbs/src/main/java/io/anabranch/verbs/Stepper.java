package io.anabranch.verbs;

/**
 * Lets a driver work that has no thread of its own: a simulated NIC, or a test. Blocking calls then
 * step it until what they wait for has come, and timeouts are counted in its time.
 */
@FunctionalInterface
public interface Stepper {
  /** Returned when nothing can happen any more by itself: a waiting call then ends at once. */
  long IDLE = Long.MAX_VALUE;

  /**
   * Does the next thing that is to be done.
   *
   * @return the driver's time after it in nanoseconds, or {@link #IDLE}
   */
  long step();
}

package io.anabranch.engine.requestor;

import io.anabranch.engine.RttEstimate;
import io.anabranch.engine.cc.CongestionControl;
import io.anabranch.engine.config.EngineConfig;
import io.anabranch.engine.timer.TimerName;
import io.anabranch.engine.timer.Timers;

/**
 * How long a peer may be silent before it is asked: smoothed RTT, the delayed SACK's base RTT, and
 * the time that sack_gen_threshold takes at the current rate. Doubles while questions go
 * unanswered.
 */
final class Silence {
  private static final int MAX_DOUBLINGS = 10;

  private final EngineConfig config;
  private final RttEstimate rtt;
  private final CongestionControl cc;
  private final Timers timers;
  private long lastHeardNs = Long.MIN_VALUE;
  private int doublings;

  Silence(EngineConfig config, RttEstimate rtt, CongestionControl cc, Timers timers) {
    this.config = config;
    this.rtt = rtt;
    this.cc = cc;
    this.timers = timers;
  }

  private long lengthNs() {
    long rate = Math.max(cc.inflightBytes(), config.sackBytes());
    long gathering = (long) ((double) config.sackBytes() / rate * rtt.smoothedNs());
    long ns = rtt.smoothedNs() + rtt.baseNs() + gathering;
    return Math.max(ns, config.minProbeSpacingNs()) << doublings;
  }

  /** The peer was heard. */
  void heard(long nowNs) {
    lastHeardNs = nowNs;
    if (doublings > 0) {
      doublings = 0;
      timers.set(TimerName.SILENCE, nowNs + lengthNs());
    }
  }

  /** Nothing was outstanding until now: the silence before it means nothing. */
  void begin(long nowNs) {
    lastHeardNs = Math.max(lastHeardNs, nowNs);
  }

  /** Starts the timer if it does not run. */
  void arm(long nowNs) {
    if (timers.deadlineNs(TimerName.SILENCE) == Timers.NEVER) {
      timers.set(TimerName.SILENCE, Math.max(lastHeardNs, nowNs) + lengthNs());
    }
  }

  /** Nothing is outstanding: whether all that was still to be heard of it has come by now. */
  boolean isOver(long nowNs) {
    long dueNs = lastHeardNs + rtt.smoothedNs() + rtt.baseNs();
    boolean over = dueNs <= nowNs;
    timers.set(TimerName.SILENCE, over ? Timers.NEVER : dueNs);
    return over;
  }

  /** This host was away: half a silence is left. */
  void wasAway(long nowNs) {
    lastHeardNs = Math.max(lastHeardNs, nowNs - lengthNs() / 2);
  }

  /**
   * The timer ended.
   *
   * @return whether the silence was too long; the peer is to be asked then
   */
  boolean expire(long nowNs) {
    long dueNs = lastHeardNs + lengthNs();
    if (dueNs > nowNs) {
      timers.set(TimerName.SILENCE, dueNs);
      return false;
    }
    doublings = Math.min(MAX_DOUBLINGS, doublings + 1);
    timers.set(TimerName.SILENCE, nowNs + lengthNs());
    lastHeardNs = nowNs;
    return true;
  }
}

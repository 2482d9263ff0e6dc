package io.anabranch.engine.timer;

/** Every timer of the engine. A queue pair and a peer each own a {@link Timers} of their kinds. */
public enum TimerName {
  /** Queue pair: local ACK timeout on the oldest unacknowledged send. */
  ACK,
  /** Queue pair: nothing was heard while something is outstanding; a reliability probe is due. */
  SILENCE,
  /** Queue pair: copies in flight on a plane that was left count as lost. */
  PLANE_LOSS,
  /** Queue pair: an ASSUMED_BAD EV is to be probed, or its probe has failed. */
  EV_TEST,
  /** Queue pair: arrivals not yet reported by a SACK. */
  DELAYED_SACK,
  /** Peer: an EV probe that keeps the reverse path fresh. */
  REVERSE_PROBE,
  /** Peer: a plane that was set aside is to be probed, or its probe has failed. */
  PLANE_PROBE,
  /** Peer: a port status update was not answered yet. */
  PORT_STATUS
}

package io.anabranch.fabric.pair;

/** What the checkers hold two engines to; each names the rule it watches. */
public enum Invariant {
  PSN_ORDER("new packets have consecutive PSNs"),
  RTX_FLAG("RTX is set on every copy but the first, and only there"),
  ACK_REQUEST("A is set on a message's last packet, on copies, and when less than an MTU is left"),
  HEADERS("METH, RETH, ImmDt, sizes and opcode follow from the message, the same in every copy"),
  ENVELOPE("addresses, ports, DSCP, ECN and connection ids are those agreed"),
  MPR_LIMIT("no PSN is sent at or beyond cack + 1 + MPR"),
  WIMM_LIMIT("no more WRITEs with Immediate are in flight than agreed"),
  WINDOW("inflight stays within the window, or one packet flies alone"),
  INFLIGHT_DRIFT("with everything acknowledged nothing is in flight"),
  PLANE_SHARE("planes that stay usable carry equally many data packets"),
  PLANE_STATE("no data on a plane that is down, set aside or reported down"),
  EV_TABLE("data uses the peer's EVs, each on its own port"),
  EV_STATE("no data on an EV that is out of rotation"),
  EV_REUSE("a retransmission leaves the EV that lost the copy, if there is another"),
  RETRANSMIT_KNOWN("what a delivered SACK reported is not sent again"),
  RETRANSMIT_SPURIOUS("nothing is sent again while nothing is lost or reordered"),
  RETRANSMIT_FIRST("what is lost goes before what is new"),
  COPIES_BOUNDED("copies per PSN stay near 1 / (1 - loss)"),
  SACK_TRUTH("cack and bitmap tell exactly what has arrived"),
  SACK_REFLECTION("a SACK reflects EV and timestamp of a packet that arrived"),
  RCVD_BYTES("rcvd_bytes counts the nominal size of first arrivals"),
  MARK_TRUTH("M is SKIP_ONCE exactly if the trigger was marked"),
  NACK_TRUTH("a NACK names a packet that arrived as it says"),
  ACK_TRUTH("a transport ACK names what is complete, in order"),
  PROBE_TRUTH("probes carry new ids and answers name probes that arrived"),
  MEMORY("memory holds what was written and nothing else was touched"),
  WRITTEN_TWICE("no packet's payload is written twice"),
  COMPLETION_ONCE("each request completes exactly once"),
  COMPLETION_ORDER("completions come in post order"),
  COMPLETION_EARLY("success only after the transport ACK, and it after the last byte"),
  COMPLETION_STATUS("requests end with the status that the rules give"),
  COMPLETION_FIELDS("a completion carries its request's operation, length and immediate"),
  RETRY_BUDGET("the retry budget is spent as configured, not sooner or later"),
  LIVENESS("once the channel has healed everything completes in bounded time"),
  STORM("frames stay in proportion to data"),
  SEAM("the engine keeps the promises of its calls");

  private final String rule;

  Invariant(String rule) {
    this.rule = rule;
  }

  /** The rule in words. */
  public String rule() {
    return rule;
  }
}

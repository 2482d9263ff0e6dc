package io.anabranch.engine.trace;

/** Takes trace events; primitive arguments, so that tracing allocates nothing. */
@FunctionalInterface
public interface TraceSink {
  /**
   * One event.
   *
   * @param nowNs when
   * @param qp local QP number, or −1 − peer handle for events of a peer
   * @param a see {@link TraceEvent}
   * @param b likewise
   * @param c likewise
   */
  void event(TraceEvent event, long nowNs, int qp, long a, long b, long c);
}

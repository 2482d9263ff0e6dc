package io.anabranch.fabric.pair;

import io.anabranch.engine.trace.TraceEvent;

/** Takes the trace events of both engines. */
@FunctionalInterface
public interface PairWatch {
  /**
   * One event.
   *
   * @param side whose: 0 = A, 1 = B
   * @param qp see {@code TraceSink}, as are a, b and c
   */
  void event(int side, TraceEvent event, long nowNs, int qp, long a, long b, long c);
}

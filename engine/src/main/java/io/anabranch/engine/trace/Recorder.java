package io.anabranch.engine.trace;

import io.anabranch.engine.DropReason;
import io.anabranch.wire.mrc.Frame;
import org.jspecify.annotations.Nullable;

/** Counts what an engine discards or refuses, and passes trace events on when tracing is on. */
public final class Recorder {
  private final @Nullable TraceSink sink;
  private final long[] drops = new long[DropReason.values().length];

  /** A recorder; null switches tracing off. */
  public Recorder(@Nullable TraceSink sink) {
    this.sink = sink;
  }

  /** The sink, or null when tracing is off: one branch for the caller. */
  public @Nullable TraceSink sink() {
    return sink;
  }

  /** Counts and traces a frame that was discarded or refused. */
  public void drop(DropReason reason, Frame frame, int qp, long nowNs) {
    drops[reason.ordinal()]++;
    if (sink != null) {
      sink.event(TraceEvent.DROPPED, nowNs, qp, reason.ordinal(), frame.psn(), frame.opcode());
    }
  }

  /** Passes an event on. */
  public void event(TraceEvent event, long nowNs, int qp, long a, long b, long c) {
    if (sink != null) {
      sink.event(event, nowNs, qp, a, b, c);
    }
  }

  /** How often a reason was counted. */
  public long drops(DropReason reason) {
    return drops[reason.ordinal()];
  }
}

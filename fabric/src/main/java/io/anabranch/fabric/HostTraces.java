package io.anabranch.fabric;

import io.anabranch.engine.trace.TraceSink;
import org.jspecify.annotations.Nullable;

/** Says who takes the trace events of a host's engine. */
@FunctionalInterface
public interface HostTraces {
  /** The sink of a host's engine, or null for none. */
  @Nullable TraceSink of(int host);
}

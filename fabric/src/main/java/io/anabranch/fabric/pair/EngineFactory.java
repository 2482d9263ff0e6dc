package io.anabranch.fabric.pair;

import io.anabranch.engine.Engine;
import io.anabranch.engine.Memory;
import io.anabranch.engine.config.EngineConfig;
import io.anabranch.engine.trace.TraceSink;

/** Makes an engine for one side. */
@FunctionalInterface
public interface EngineFactory {
  /** A new engine that places payload in {@code memory} and tells {@code trace} what it does. */
  Engine create(EngineConfig config, Memory memory, TraceSink trace);
}

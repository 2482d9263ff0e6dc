package io.anabranch.net.loop;

import io.anabranch.engine.Engine;
import io.anabranch.engine.Memory;

/** Makes the engine that a duty cycle drives. */
@FunctionalInterface
public interface EngineFactory {
  /**
   * Makes it.
   *
   * @param memory places payload of the packet that is being received
   */
  Engine create(Memory memory);
}

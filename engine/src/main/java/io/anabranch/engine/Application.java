package io.anabranch.engine;

/** The application side of a driver: called on the driver's thread, once a turn. */
public interface Application extends Buffers {
  /**
   * Hands waiting commands to the engine, bounded in number, and takes its completions and events.
   *
   * @return whether anything was done
   */
  boolean turn(Engine engine, long nowNs);

  /** The driver cannot go on: no further turn will come. Called on its thread, once. */
  default void failed(Throwable cause) {}
}

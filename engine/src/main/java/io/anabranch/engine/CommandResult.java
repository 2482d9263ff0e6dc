package io.anabranch.engine;

/** How a command ended. */
public enum CommandResult {
  OK,
  /** No queue pair, peer or region of that number. */
  NOT_FOUND,
  /** The number is taken. */
  IN_USE,
  /** The queue pair's state does not allow it. */
  WRONG_STATE,
  /** The send or receive queue is full. */
  QUEUE_FULL,
  /** A value is outside its range. */
  INVALID
}

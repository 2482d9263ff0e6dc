package io.anabranch.verbs;

/** Waiting for another thread that is certain to come, where cores may be fewer than threads. */
final class Spin {
  private Spin() {}

  @SuppressWarnings("ThreadPriorityCheck") // correctness does not rest on it, only time
  static void once() {
    Thread.yield();
  }
}

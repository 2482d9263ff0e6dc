package io.anabranch.fabric;

/** Takes the state of a sender's window towards one destination. */
@FunctionalInterface
public interface WindowSink {
  /** A source that has sent to a destination, with its congestion window and bytes in flight. */
  void window(int source, int destination, long cwndBytes, long inflightBytes);
}

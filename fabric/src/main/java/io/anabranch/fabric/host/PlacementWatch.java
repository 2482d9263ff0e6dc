package io.anabranch.fabric.host;

/** Is told what is written to memory. */
@FunctionalInterface
public interface PlacementWatch {
  /** Payload of a flow was placed, at an offset from the flow's start. */
  void placed(int flow, long offset, int bytes);
}

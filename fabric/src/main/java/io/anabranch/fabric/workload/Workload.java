package io.anabranch.fabric.workload;

/** A rule that makes flows. */
public interface Workload {
  /** Adds its flows, and the triggers that order them, behind those that are there. */
  void addTo(Traffic traffic);
}

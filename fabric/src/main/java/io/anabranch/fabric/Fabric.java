package io.anabranch.fabric;

import org.jspecify.annotations.Nullable;

/** A running simulation. */
public final class Fabric {
  private final FabricConfig config;
  private final @Nullable HostTraces traces;

  /**
   * Builds what the configuration says; nothing has run yet.
   *
   * @param traces who takes the engines' trace events; null = nobody
   */
  public Fabric(FabricConfig config, @Nullable HostTraces traces) {
    this.config = config;
    this.traces = traces;
  }

  /**
   * Runs all events before a time, or fewer if all flows have ended.
   *
   * @return whether anything is left to do: flows that have not ended, and time until the end
   */
  public boolean runTo(long untilPs) {
    throw new UnsupportedOperationException("not built yet " + config + traces + untilPs);
  }

  /** Simulated time; once all flows have ended, when the last one did. */
  public long nowPs() {
    return 0;
  }

  /** The flows. */
  public FlowTable flows() {
    throw new UnsupportedOperationException();
  }

  /** The links. */
  public LinkTable links() {
    throw new UnsupportedOperationException();
  }

  /** Counts of the run so far. */
  public Totals totals() {
    throw new UnsupportedOperationException();
  }

  /** Data packets delivered on a plane, counted from 0. */
  public long deliveredOnPlane(int plane) {
    return 0L * plane;
  }

  /** Tells the window of every source towards every destination it has sent to. */
  public void windows(WindowSink sink) {
    throw new UnsupportedOperationException();
  }

  /** The EV that entry {@code index} of the common profile stands for, as trace events name it. */
  public int ev(int index) {
    return index;
  }
}

package io.anabranch.tools.run;

import io.anabranch.fabric.Fabric;
import io.anabranch.tools.scenario.Phase;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Notes how much was written when phases begin and end. */
final class PhaseLog {
  private final List<Phase> phases;
  private final Fabric fabric;
  private final long[] bytesAtStart;
  private final long[] bytesAtEnd;

  PhaseLog(List<Phase> phases, Fabric fabric) {
    this.phases = phases;
    this.fabric = fabric;
    bytesAtStart = new long[phases.size()];
    bytesAtEnd = new long[phases.size()];
    Arrays.fill(bytesAtStart, -1);
    Arrays.fill(bytesAtEnd, -1);
  }

  /** The next time after {@code nowPs} at which to call {@link #note}. */
  long nextPs(long nowPs) {
    long next = Long.MAX_VALUE;
    for (Phase phase : phases) {
      next = phase.fromPs() > nowPs ? Math.min(next, phase.fromPs()) : next;
      next = phase.toPs() > nowPs ? Math.min(next, phase.toPs()) : next;
    }
    return next;
  }

  /** A time has come. */
  void note(long nowPs) {
    for (int i = 0; i < bytesAtStart.length; i++) {
      if (phases.get(i).fromPs() == nowPs) {
        bytesAtStart[i] = fabric.placedBytes();
      }
      if (phases.get(i).toPs() == nowPs) {
        bytesAtEnd[i] = fabric.placedBytes();
      }
    }
  }

  /** What came of each phase in a run that ended at {@code endPs}. */
  List<SimResult.Phase> results(long endPs) {
    List<SimResult.Phase> results = new ArrayList<>();
    for (int i = 0; i < bytesAtStart.length; i++) {
      Phase phase = phases.get(i);
      long to = bytesAtEnd[i] >= 0 ? phase.toPs() : Math.min(endPs, phase.toPs());
      long bytes = (bytesAtEnd[i] >= 0 ? bytesAtEnd[i] : fabric.placedBytes()) - bytesAtStart[i];
      results.add(
          new SimResult.Phase(
              phase.name(),
              Micros.of(phase.fromPs()),
              Micros.of(to),
              bytesAtStart[i] < 0 ? null : FaultResults.gbps(bytes, to - phase.fromPs())));
    }
    return results;
  }
}

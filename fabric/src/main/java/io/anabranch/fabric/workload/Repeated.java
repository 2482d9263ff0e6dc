package io.anabranch.fabric.workload;

import io.anabranch.fabric.workload.Traffic.TriggerKind;

/**
 * A job: traffic that takes place once, or in rounds, of which each begins when all flows of the
 * one before are acknowledged.
 *
 * @param round the traffic of a round; where there are several, none of its flows starts later than
 *     at 0 but by a trigger
 * @param startPs when the first round begins
 * @param rounds how many, at least 1; at most, if they end at a time
 * @param untilPs no round but the first begins at that time or later; {@link Traffic#NEVER}: all do
 */
public record Repeated(Traffic round, long startPs, int rounds, long untilPs) implements Workload {
  /** Checks ranges. */
  public Repeated {
    if (opener(round) < 0) {
      throw new IllegalArgumentException(
          "round: no flow that starts at a time, allowed one or more");
    }
    if (rounds < 1) {
      throw new IllegalArgumentException("rounds: " + rounds + ", allowed at least 1");
    }
    for (int f = 0; f < round.flows() && rounds > 1; f++) {
      if (round.startPs(f) > 0) {
        throw new IllegalArgumentException(
            "flow " + f + " starts at " + round.startPs(f) + " ps of a round, allowed 0");
      }
    }
  }

  private static int opener(Traffic round) {
    for (int f = 0; f < round.flows(); f++) {
      if (round.startPs(f) >= 0) {
        return f;
      }
    }
    return Traffic.NONE;
  }

  @Override
  public void addTo(Traffic traffic) {
    int first = traffic.flows();
    int flows = round.flows();
    int begins = Traffic.NONE;
    for (int k = 0; k < rounds; k++) {
      int triggers = traffic.triggers();
      for (int t = 0; t < round.triggers(); t++) {
        traffic.addTrigger(round.kind(t), round.needed(t));
      }
      int next = Traffic.NONE;
      if (k + 1 < rounds) {
        next = traffic.addTrigger(TriggerKind.BARRIER, flows);
        traffic.closes(next, untilPs);
      }
      for (int f = 0; f < flows; f++) {
        copy(traffic, f, triggers, begins);
        if (next != Traffic.NONE) {
          traffic.fires(first + k * flows + f, next);
        }
      }
      begins = next;
    }
    traffic.job(first, flows, opener(round), untilPs);
  }

  private void copy(Traffic traffic, int f, int triggers, int begins) {
    int from = round.source(f);
    int to = round.destination(f);
    long bytes = round.bytes(f);
    int flow;
    if (round.waitsFor(f) != Traffic.NONE) {
      flow = traffic.addWaiting(from, to, bytes, triggers + round.waitsFor(f));
    } else if (begins == Traffic.NONE) {
      flow = traffic.add(from, to, bytes, startPs + round.startPs(f));
    } else {
      flow = traffic.addWaiting(from, to, bytes, begins);
    }
    traffic.evSet(flow, round.evSet(f));
    for (int i = 0; round.fired(f, i) != Traffic.NONE; i++) {
      traffic.fires(flow, triggers + round.fired(f, i));
    }
  }
}

package io.anabranch.tests.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.engine.path.EvState;
import io.anabranch.engine.trace.TraceEvent;
import io.anabranch.fabric.Fabric;
import io.anabranch.fabric.fault.Effect;
import io.anabranch.fabric.fault.Fault;
import io.anabranch.fabric.fault.FaultCost;
import io.anabranch.fabric.fault.Timing;
import io.anabranch.fabric.topology.Routing;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A link between T0 and T1 is cut under many queue pairs, in a fabric with an RTT of 10 us. */
class ManyQueuePairsTest {
  private static final long RTT_NS = 10_000;
  private static final long CUT_PS = 200_000_000;
  private static final int CUT = 3;
  private static final int HOSTS_PER_LEAF = 16;
  private static final int SPINES = 16;

  private record Copy(long psn, long ev, long sentNs) {}

  /** What a sender's queue pairs did, by host and queue pair; and what arrived, by PSN and EV. */
  private static final class Log {
    final TreeMap<String, List<Copy>> sent = new TreeMap<>();
    final TreeMap<String, Long> arrivedNs = new TreeMap<>();
    final TreeMap<String, Long> leftNs = new TreeMap<>();

    void event(TraceEvent event, int host, long nowNs, int qp, long a, long b, long c) {
      // Flow h goes from host h to host 16 + h, so that both ends number their queue pairs alike.
      String pair = "h" + host % HOSTS_PER_LEAF + " qp " + qp;
      switch (event) {
        case SENT -> sent.computeIfAbsent(pair, _ -> new ArrayList<>()).add(new Copy(a, b, nowNs));
        case ARRIVED -> arrivedNs.put(pair + " " + a + " by " + b, nowNs);
        case EV_STATE -> {
          if (c == EvState.ASSUMED_BAD) {
            leftNs.putIfAbsent(pair + " ev " + (a & 0x3fff), nowNs);
          }
        }
        default -> {
          // Nothing that is judged here.
        }
      }
    }

    /** When the receiver had the first copy that was sent 1.25 RTTs after a lost one or later. */
    long evidenceNs(String pair, List<Copy> copies, Copy lost) {
      long first = Long.MAX_VALUE;
      for (Copy copy : copies) {
        Long at = arrivedNs.get(pair + " " + copy.psn + " by " + copy.ev);
        if (at != null && copy.sentNs >= lost.sentNs + RTT_NS * 5 / 4) {
          first = Math.min(first, at);
        }
      }
      return first;
    }
  }

  private static Fabrics fabrics(int senders, int qpsPerPair, int mebibytes) {
    Fabrics fabrics = new Fabrics();
    fabrics.routing = Routing.SRV6;
    fabrics.leaves = 2;
    fabrics.evsPerPlane = SPINES;
    fabrics.reverseProbes = true;
    // 2 · 4 · 1 us of links, 338 ns of packets, 2 · 3 · 277 ns of switches.
    fabrics.latencyPs = 277_000;
    fabrics.rttNs = RTT_NS;
    fabrics.qpsPerPair = qpsPerPair;
    fabrics.messageBytes = 64 << 10;
    for (int host = 0; host < senders; host++) {
      fabrics.traffic.add(host, HOSTS_PER_LEAF + host, mebibytes << 20, 0);
    }
    return fabrics;
  }

  private static List<Fault> cut() {
    return List.of(
        new Fault(
            new Effect.Down(10_000_000, Effect.NEVER),
            List.of("p1.t0.0-t1." + CUT),
            0,
            new Timing.Once(CUT_PS, Timing.FOREVER)));
  }

  /** And no queue pair leaves another path. */
  @ParameterizedTest
  @CsvSource({"4, 8", "4, 32", "8, 16", "15, 8"})
  void eachLeavesItsPathWithinThreeRoundTripsOfTheEvidence(int senders, int qpsPerPair) {
    Fabrics fabrics = fabrics(senders, qpsPerPair, 32);
    fabrics.faults = cut();
    Log log = new Log();
    Fabric fabric =
        fabrics.build(
            host -> (event, nowNs, qp, a, b, c) -> log.event(event, host, nowNs, qp, a, b, c));
    Fabrics.finish(fabric);
    TreeSet<String> expected = new TreeSet<>();
    log.sent.forEach((pair, copies) -> {
      for (Copy copy : copies) {
        boolean lost =
            copy.sentNs > CUT_PS / 1000 - RTT_NS
                && (copy.ev & 0x3fff) == CUT
                && !log.arrivedNs.containsKey(pair + " " + copy.psn + " by " + copy.ev);
        String path = pair + " ev " + CUT;
        if (lost && expected.add(path)) {
          assertThat(log.leftNs.getOrDefault(path, Long.MAX_VALUE))
              .as(path)
              .isLessThanOrEqualTo(log.evidenceNs(pair, copies, copy) + 3 * RTT_NS);
        }
      }
    });
    assertThat(expected).hasSize(senders * qpsPerPair);
    assertThat(log.leftNs.keySet()).isEqualTo(expected);
    FaultCost cost = fabric.faults().getFirst();
    assertThat(cost.pathsLeft()).isEqualTo(cost.paths()).isEqualTo((long) senders * qpsPerPair);
  }
}

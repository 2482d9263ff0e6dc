package io.anabranch.fabric.workload;

import io.anabranch.fabric.event.Streams;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Uniform random traffic: flows arrive as a Poisson process, each from a host to another one, all
 * pairs as likely. Times between arrivals are exponential, drawn by the inverse of their
 * distribution function; of each flow are drawn in turn: the time since the one before, the source,
 * the destination, the size.
 *
 * @param hosts who takes part
 * @param sizes of flows
 * @param meanGapPs mean time between two arrivals, of all hosts together
 * @param seed of the run
 * @param stream name of the stream of chance that is drawn from
 * @param startPs when the process begins; the first arrival comes after a gap
 * @param until when it ends
 */
public record RandomPairs(
    List<Integer> hosts,
    FlowSizes sizes,
    double meanGapPs,
    long seed,
    String stream,
    long startPs,
    Until until)
    implements Workload {
  /** When arrivals end: at the first of three. */
  public record Until(long timePs, long flows, long payloadBytes) {
    /** Never by itself. */
    public static final long NEVER = Long.MAX_VALUE;
  }

  /** Copies the hosts and checks ranges. */
  public RandomPairs {
    hosts = Hosts.distinct("hosts", hosts, 2);
    if (!(meanGapPs > 0) || Double.isInfinite(meanGapPs)) {
      throw new IllegalArgumentException("meanGapPs: " + meanGapPs + ", allowed above 0");
    }
    if (until.timePs == Until.NEVER
        && until.flows == Until.NEVER
        && until.payloadBytes == Until.NEVER) {
      throw new IllegalArgumentException("until: never, allowed a time, flows or payload");
    }
  }

  @Override
  public void addTo(Traffic traffic) {
    SplittableRandom random = Streams.of(seed, stream);
    int n = hosts.size();
    double at = startPs;
    long flows = 0;
    long payload = 0;
    while (flows < until.flows && payload < until.payloadBytes) {
      at -= meanGapPs * StrictMath.log(1 - random.nextDouble());
      int from = random.nextInt(n);
      int to = random.nextInt(n - 1);
      long bytes = sizes.next(random);
      if (at >= until.timePs) {
        return;
      }
      if (traffic.flows() >= ConnectionMatrix.MAX_FLOWS) {
        throw new IllegalArgumentException(
            "more than " + ConnectionMatrix.MAX_FLOWS + " flows; end it sooner");
      }
      traffic.add(hosts.get(from), hosts.get(to < from ? to : to + 1), bytes, (long) at);
      flows++;
      payload += bytes;
    }
  }
}

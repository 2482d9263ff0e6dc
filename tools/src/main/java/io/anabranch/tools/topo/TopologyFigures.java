package io.anabranch.tools.topo;

import io.anabranch.fabric.topology.TopologyConfig;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A topology in figures, as results state them. Rates are in Gb/s, one direction.
 *
 * @param kind of topology, as a scenario names it
 * @param hosts NICs in all
 * @param planes all alike
 * @param nicGbps of a NIC, all planes together; the fastest
 * @param switches in all
 * @param cables in all, both directions of a link one
 * @param optics modules in all, one at each end of every cable, as if each carried a NIC's whole
 *     rate: the cables of eight planes of 100G share one of 800G
 * @param tiers from the hosts up
 * @param links by the tiers that they join
 * @param paths between the hosts farthest apart
 * @param bisectionGbps what half of the hosts can send to the other half
 * @param bisectionBy {@code tiers}: across the upper tiers; in a graph see {@link Bisection}
 * @param failures what one failed element costs; only its hosts' ports where there are no tiers
 * @param perNic counts over NICs
 * @param compared the same NICs on three tiers and one plane, or null: a switch has too few ports
 */
public record TopologyFigures(
    String kind,
    int hosts,
    int planes,
    double nicGbps,
    int switches,
    long cables,
    double optics,
    List<Tier> tiers,
    List<Links> links,
    Paths paths,
    double bisectionGbps,
    String bisectionBy,
    List<Failure> failures,
    PerNic perNic,
    @Nullable ThreeTiers compared) {

  /**
   * Switches that are as far from hosts.
   *
   * @param tier {@code t0}, {@code t1}, …
   * @param switches in all planes
   * @param ports of the largest
   * @param gbps of all ports of the largest
   * @param oversubscription rate of the ports down over that of the ports up, where it is the
   *     highest; null: no ports up
   */
  public record Tier(
      String tier, int switches, int ports, double gbps, @Nullable Double oversubscription) {}

  /**
   * Cables of a kind.
   *
   * @param between such as {@code hosts-t0} or {@code t0-t1}
   * @param gbps of each
   */
  public record Links(String between, long cables, double gbps) {}

  /**
   * Ways between two hosts.
   *
   * @param perPlane on each plane
   * @param perPair on all planes
   * @param links of each way
   */
  public record Paths(long perPlane, long perPair, int links) {}

  /**
   * One element that fails.
   *
   * @param element {@code hosts-t0 link}, {@code t0 switch}, …
   * @param count how many there are of it
   * @param hosts that notice
   * @param ofUplinks its share of the uplinks of its switch, or null: it is none
   * @param ofPaths its share of the paths of each of those hosts to far ones
   */
  public record Failure(
      String element, long count, int hosts, @Nullable Double ofUplinks, double ofPaths) {}

  /** Counts over NICs. */
  public record PerNic(double switches, double optics) {}

  /**
   * A full fat tree of three tiers and one plane, of switches with the same rate in all as the
   * largest here, in ports of a NIC's whole rate.
   *
   * @param radix ports of a switch
   * @param hosts where it ends
   * @param switches of that
   * @param perNic counts over its NICs
   * @param ofUplinks a link's share of the uplinks of a T0
   * @param switchesRatio switches per NIC here over those there
   * @param opticsRatio optics per NIC here over those there
   */
  public record ThreeTiers(
      long radix,
      long hosts,
      long switches,
      PerNic perNic,
      double ofUplinks,
      double switchesRatio,
      double opticsRatio) {
    private static final double OPTICS_PER_NIC = 6;

    static @Nullable ThreeTiers of(double switchGbps, double nicGbps, PerNic here) {
      long radix = (long) (switchGbps / nicGbps) / 2 * 2;
      if (radix < 2) {
        return null;
      }
      long hosts = radix * radix * radix / 4;
      long switches = 5 * radix * radix / 4;
      PerNic there = new PerNic((double) switches / hosts, OPTICS_PER_NIC);
      return new ThreeTiers(
          radix,
          hosts,
          switches,
          there,
          2.0 / radix,
          here.switches / there.switches,
          here.optics / there.optics);
    }
  }

  /** Counts what a topology is made of. */
  public static TopologyFigures of(TopologyConfig config) {
    return new TopologyCount(config).figures();
  }
}

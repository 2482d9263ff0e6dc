package io.anabranch.tools.topo;

import io.anabranch.fabric.topology.GraphConfig;
import io.anabranch.fabric.topology.Routing;
import io.anabranch.fabric.topology.ThreeTierConfig;
import io.anabranch.fabric.topology.Topology;
import io.anabranch.fabric.topology.TopologyConfig;
import io.anabranch.fabric.topology.TwoTierConfig;
import io.anabranch.tools.topo.TopologyFigures.Failure;
import io.anabranch.tools.topo.TopologyFigures.Links;
import io.anabranch.tools.topo.TopologyFigures.Paths;
import io.anabranch.tools.topo.TopologyFigures.PerNic;
import io.anabranch.tools.topo.TopologyFigures.ThreeTiers;
import io.anabranch.tools.topo.TopologyFigures.Tier;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Counts switches and cables one by one. */
final class TopologyCount {
  private static final double GBPS = 1e9;

  private record Kind(String between, long rate) implements Comparable<Kind> {
    @Override
    public int compareTo(Kind other) {
      int order = between.compareTo(other.between);
      return order != 0 ? order : Long.compare(other.rate, rate);
    }
  }

  private final TopologyConfig config;
  private final Topology wiring;
  private final SortedMap<Kind, Long> cables = new TreeMap<>();
  private final int[] switches;
  private final int[] ports;
  private final double[] rates;
  private final double[] oversubscription;

  TopologyCount(TopologyConfig config) {
    this.config = config;
    wiring = config.wiring(Routing.ECMP, 0);
    Tiers tiers = new Tiers(wiring);
    switches = new int[tiers.count()];
    ports = new int[tiers.count()];
    rates = new double[tiers.count()];
    oversubscription = new double[tiers.count()];
    for (int node = 0; node < wiring.switches(); node++) {
      if (tiers.of(node) >= 0) {
        count(node, tiers);
      }
    }
  }

  private void count(int node, Tiers tiers) {
    int tier = tiers.of(node);
    double up = 0;
    double down = 0;
    for (int port = 0; port < wiring.ports(node); port++) {
      int link = wiring.port(node, port);
      long rate = wiring.linkOf(wiring.kind(link)).rateBitsPerSecond();
      int other = wiring.switchAt(link);
      if (other == Topology.HOST) {
        cables.merge(new Kind("hosts-t0", rate), 1L, Long::sum);
        down += rate;
      } else if (tiers.of(other) > tier) {
        cables.merge(new Kind("t" + tier + "-t" + tiers.of(other), rate), 1L, Long::sum);
        up += rate;
      } else if (tiers.of(other) < tier) {
        down += rate;
      } else {
        if (link < wiring.reverse(link)) {
          cables.merge(new Kind("t" + tier + "-t" + tier, rate), 1L, Long::sum);
        }
        up += rate;
      }
    }
    switches[tier]++;
    ports[tier] = Math.max(ports[tier], wiring.ports(node));
    rates[tier] = Math.max(rates[tier], up + down);
    if (up > 0) {
      oversubscription[tier] = Math.max(oversubscription[tier], down / up);
    }
  }

  TopologyFigures figures() {
    double nic = config.hostLink().rateBitsPerSecond() / GBPS * config.planes();
    List<Tier> tiers = new ArrayList<>();
    double largest = 0;
    for (int t = 0; t < switches.length; t++) {
      double over = oversubscription[t];
      tiers.add(new Tier("t" + t, switches[t], ports[t], rates[t] / GBPS, over == 0 ? null : over));
      largest = Math.max(largest, rates[t] / GBPS);
    }
    List<Links> links = new ArrayList<>();
    long all = 0;
    double ends = 0;
    for (var entry : cables.entrySet()) {
      double gbps = entry.getKey().rate / GBPS;
      links.add(new Links(entry.getKey().between, entry.getValue(), gbps));
      all += entry.getValue();
      ends += 2 * gbps * entry.getValue();
    }
    double optics = ends / nic;
    int hosts = config.hosts();
    PerNic perNic = new PerNic((double) wiring.switches() / hosts, optics / hosts);
    long paths = config.paths();
    Bisection bisection = config instanceof GraphConfig ? new Bisection(wiring) : null;
    return new TopologyFigures(
        kind(),
        hosts,
        config.planes(),
        nic,
        wiring.switches(),
        all,
        optics,
        tiers,
        links,
        new Paths(paths, paths * config.planes(), wiring.diameter()),
        bisection == null ? bisectionGbps(nic) : bisection.bitsPerSecond() / GBPS,
        bisection == null ? "tiers" : bisection.isExact() ? Bisection.ALL : Bisection.IN_ORDER,
        failures(),
        perNic,
        ThreeTiers.of(largest, nic, perNic));
  }

  private String kind() {
    return switch (config) {
      case TwoTierConfig c -> c.spines() == 0 ? "one-switch" : "two-tier";
      case ThreeTierConfig _ -> "three-tier";
      case GraphConfig _ -> "graph";
    };
  }

  /**
   * What hosts can send past each tier in turn, never more than their own rate; of half of them.
   */
  private double bisectionGbps(double nicGbps) {
    double share = 1;
    double through = 1;
    for (int t = 0; t < wiring.diameter() / 2 - 1; t++) {
      through /= oversubscription[t];
      share = Math.min(share, through);
    }
    return config.hosts() / 2.0 * nicGbps * share;
  }

  private List<Failure> failures() {
    List<Failure> list = new ArrayList<>();
    int planes = config.planes();
    int hosts = config.hosts();
    list.add(new Failure("hosts-t0 link", (long) hosts * planes, 1, null, 1.0 / planes));
    switch (config) {
      case GraphConfig _ -> {
        return list;
      }
      case TwoTierConfig c -> {
        int spines = c.spines();
        if (spines > 0) {
          long links = (long) planes * c.leaves() * spines;
          double share = 1.0 / spines;
          list.add(new Failure("t0-t1 link", links, c.hostsPerLeaf(), share, share / planes));
        }
        list.add(
            new Failure(
                "t0 switch", (long) planes * c.leaves(), c.hostsPerLeaf(), null, 1.0 / planes));
        if (spines > 0) {
          list.add(
              new Failure("t1 switch", (long) planes * spines, hosts, null, 1.0 / spines / planes));
        }
      }
      case ThreeTierConfig c -> {
        int perPod = hosts / c.pods();
        long leafLinks = (long) planes * c.leaves() * c.spinesPerPod();
        long spines = (long) planes * c.pods() * c.spinesPerPod();
        double ofSpines = 1.0 / c.spinesPerPod();
        double ofCores = 1.0 / c.coresPerGroup();
        list.add(
            new Failure("t0-t1 link", leafLinks, c.hostsPerLeaf(), ofSpines, ofSpines / planes));
        list.add(
            new Failure(
                "t1-t2 link",
                spines * c.coresPerGroup(),
                perPod,
                ofCores,
                1.0 / c.paths() / planes));
        list.add(
            new Failure(
                "t0 switch", (long) planes * c.leaves(), c.hostsPerLeaf(), null, 1.0 / planes));
        list.add(new Failure("t1 switch", spines, perPod, null, ofSpines / planes));
        list.add(
            new Failure("t2 switch", planes * c.paths(), hosts, null, 1.0 / c.paths() / planes));
      }
    }
    list.add(new Failure("plane", planes, hosts, null, 1.0 / planes));
    return list;
  }
}

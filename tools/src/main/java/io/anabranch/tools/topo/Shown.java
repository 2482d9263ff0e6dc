package io.anabranch.tools.topo;

import io.anabranch.fabric.topology.GraphConfig;
import io.anabranch.fabric.topology.Routing;
import io.anabranch.fabric.topology.ThreeTierConfig;
import io.anabranch.fabric.topology.Topology;
import io.anabranch.fabric.topology.TopologyConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** What of a topology a drawing shows: of many alike the first few and the last, of planes one. */
final class Shown {
  /** In place of what is left out. */
  static final int GAP = -1;

  private static final int MOST_IN_ROW = 8;
  private static final int MOST_IN_POD = 3;
  private static final int MOST_IN_GRAPH = 24;
  private static final int PODS = 3;

  /** Switches that stand together: rows from the lowest tier up, of numbers and gaps. */
  record Group(String label, List<List<Integer>> rows) {}

  /** Two switches, the lower one first. */
  record Pair(int lower, int upper) implements Comparable<Pair> {
    @Override
    public int compareTo(Pair other) {
      int order = Integer.compare(lower, other.lower);
      return order != 0 ? order : Integer.compare(upper, other.upper);
    }
  }

  final Topology wiring;
  final Tiers tiers;

  /** A group, or null for groups left out. */
  final List<Group> groups = new ArrayList<>();

  /** Rows above all groups, from the lowest up. */
  final List<List<Integer>> above = new ArrayList<>();

  Shown(TopologyConfig config) {
    wiring = config.wiring(Routing.ECMP, 0);
    tiers = new Tiers(wiring);
    switch (config) {
      case ThreeTierConfig c -> {
        for (int pod : pick(c.pods(), PODS)) {
          if (pod == GAP) {
            groups.add(new Group("", List.of()));
            continue;
          }
          List<Integer> leaves =
              shifted(pick(c.leavesPerPod(), MOST_IN_POD), pod * c.leavesPerPod());
          int spine = c.leaves() + pod * c.spinesPerPod();
          List<Integer> spines = shifted(pick(c.spinesPerPod(), MOST_IN_POD), spine);
          groups.add(new Group("pod " + pod, List.of(leaves, spines)));
        }
        int core = c.leaves() + c.pods() * c.spinesPerPod();
        above.add(shifted(cores(c), core));
      }
      case GraphConfig _ -> groups.add(byTiers(wiring.switches(), MOST_IN_GRAPH));
      default -> groups.add(byTiers(wiring.switches() / config.planes(), MOST_IN_ROW));
    }
  }

  /** Of each group that has a spine shown the first two, of the last one the last two. */
  private static List<Integer> cores(ThreeTierConfig c) {
    int each = c.coresPerGroup();
    List<Integer> list = new ArrayList<>();
    for (int group : pick(c.spinesPerPod(), MOST_IN_POD)) {
      boolean last = group == c.spinesPerPod() - 1;
      for (int i = 0; group != GAP && i < each; i++) {
        if (last ? i >= each - 2 : i < 2) {
          list.add(group * each + i);
        } else if (list.isEmpty() || list.getLast() != GAP) {
          list.add(GAP);
        }
      }
      if (group == GAP && list.getLast() != GAP) {
        list.add(GAP);
      }
    }
    return list;
  }

  private Group byTiers(int switches, int most) {
    List<List<Integer>> all = new ArrayList<>();
    for (int t = 0; t < tiers.count(); t++) {
      all.add(new ArrayList<>());
    }
    for (int node = 0; node < switches; node++) {
      if (tiers.of(node) >= 0) {
        all.get(tiers.of(node)).add(node);
      }
    }
    List<List<Integer>> rows = new ArrayList<>();
    for (List<Integer> row : all) {
      rows.add(pick(row.size(), most).stream().map(i -> i == GAP ? GAP : row.get(i)).toList());
    }
    return new Group("", rows);
  }

  /** All, or the first few, a gap and the last. */
  static List<Integer> pick(int n, int most) {
    List<Integer> list = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      if (n <= most || i < most - 1 || i == n - 1) {
        list.add(i);
      } else if (i == most - 1) {
        list.add(GAP);
      }
    }
    return list;
  }

  private static List<Integer> shifted(List<Integer> list, int by) {
    return list.stream().map(i -> i == GAP ? GAP : i + by).toList();
  }

  /** Every switch that is shown. */
  List<Integer> nodes() {
    List<Integer> all = new ArrayList<>();
    groups.forEach(group -> group.rows.forEach(all::addAll));
    above.forEach(all::addAll);
    all.removeIf(node -> node == GAP);
    return all;
  }

  /** How many cables join switches that are shown. */
  SortedMap<Pair, Integer> cables() {
    List<Integer> nodes = nodes();
    SortedMap<Pair, Integer> cables = new TreeMap<>();
    boolean[] shown = new boolean[wiring.switches()];
    nodes.forEach(node -> shown[node] = true);
    for (int node : nodes) {
      for (int port = 0; port < wiring.ports(node); port++) {
        int link = wiring.port(node, port);
        int other = wiring.switchAt(link);
        if (other != Topology.HOST && shown[other]) {
          int order = Integer.compare(tiers.of(node), tiers.of(other));
          if (order < 0 || order == 0 && link < wiring.reverse(link)) {
            cables.merge(new Pair(node, other), 1, Integer::sum);
          }
        }
      }
    }
    return cables;
  }

  /** The hosts of a switch in short, such as {@code h0–h15}; empty without any. */
  String hosts(int node) {
    int first = Integer.MAX_VALUE;
    int last = -1;
    for (int port = 0; port < wiring.ports(node); port++) {
      int link = wiring.port(node, port);
      if (wiring.switchAt(link) == Topology.HOST) {
        first = Math.min(first, wiring.hostAt(link));
        last = Math.max(last, wiring.hostAt(link));
      }
    }
    if (last < 0) {
      return "";
    }
    return first == last ? "h" + first : "h" + first + "–h" + last;
  }

  /** Ports of a switch towards hosts. */
  int hostPorts(int node) {
    int n = 0;
    for (int port = 0; port < wiring.ports(node); port++) {
      n += wiring.switchAt(wiring.port(node, port)) == Topology.HOST ? 1 : 0;
    }
    return n;
  }
}

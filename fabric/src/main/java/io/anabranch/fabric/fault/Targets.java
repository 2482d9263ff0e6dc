package io.anabranch.fabric.fault;

import io.anabranch.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * What names stand for: {@code p1.t0.3>t1.0} is a link in one direction, {@code p1.t0.3-t1.0} both;
 * {@code p1.h5} a NIC's port, which is its host's link in both directions; {@code p1.t1.3} a switch
 * with all its links; {@code p1} a plane with all its switches and links, where switches are named
 * by plane, and else all NICs' ports of it. A star stands for any text between dots.
 */
public final class Targets {
  private static final Pattern PLANE = Pattern.compile("p([0-9]{1,2}|\\*)");
  private static final Pattern NIC = Pattern.compile("p([0-9]{1,2}|\\*)\\.h([0-9]{1,7}|\\*)");
  private static final Pattern FROM_NIC =
      Pattern.compile("(?:p([0-9]{1,2}|\\*)\\.)?h([0-9]{1,7}|\\*)>");

  /**
   * One thing that can fail.
   *
   * @param name of it
   * @param links that fail with it, each direction on its own; of a cable the named one first
   * @param switches that fail with it
   */
  public record Element(String name, List<Integer> links, List<Integer> switches) {}

  private final Topology topology;

  /** Names in a network. */
  public Targets(Topology topology) {
    this.topology = topology;
  }

  /** The elements that a name stands for; empty if there is nothing of that name. */
  public List<Element> named(String name) {
    if (PLANE.matcher(name).matches()) {
      return planes(name);
    }
    if (NIC.matcher(name).matches()) {
      return nics(name);
    }
    if (name.contains(">")) {
      return links(name, false);
    }
    List<Element> switches = switches(name);
    if (!switches.isEmpty()) {
      return switches;
    }
    for (int at = name.indexOf('-'); at >= 0; at = name.indexOf('-', at + 1)) {
      List<Element> cables = links(name.substring(0, at) + ">" + name.substring(at + 1), true);
      if (!cables.isEmpty()) {
        return cables;
      }
    }
    return List.of();
  }

  private static Pattern pattern(String name) {
    StringBuilder regex = new StringBuilder();
    for (String part : name.split("(?=\\*)|(?<=\\*)", -1)) {
      regex.append(part.equals("*") ? "[^.>]*" : Pattern.quote(part));
    }
    return Pattern.compile(regex.toString());
  }

  private List<Element> planes(String name) {
    List<Element> list = new ArrayList<>();
    for (int plane = 0; plane < topology.planes(); plane++) {
      String own = "p" + (plane + 1);
      if (name.equals("p*") || name.equals(own)) {
        TreeSet<Integer> links = new TreeSet<>();
        List<Integer> switches = new ArrayList<>();
        for (int host = 0; host < topology.hosts(); host++) {
          links.add(topology.hostLink(host, plane));
          links.add(topology.reverse(topology.hostLink(host, plane)));
        }
        for (int node = 0; node < topology.switches(); node++) {
          if (topology.switchName(node).startsWith(own + ".")) {
            switches.add(node);
            for (int port = 0; port < topology.ports(node); port++) {
              links.add(topology.port(node, port));
            }
          }
        }
        list.add(new Element(own, List.copyOf(links), switches));
      }
    }
    return list;
  }

  private List<Element> nics(String name) {
    var m = NIC.matcher(name);
    List<Element> list = new ArrayList<>();
    if (m.matches()) {
      for (int link : hostLinks(m.group(1), m.group(2))) {
        String own = "p" + (topology.plane(link) + 1) + ".h" + topology.hostFrom(link);
        list.add(cable(own, link));
      }
    }
    return list;
  }

  private List<Integer> hostLinks(String plane, String host) {
    List<Integer> list = new ArrayList<>();
    for (int p = 0; p < topology.planes(); p++) {
      if (!plane.equals("*") && Integer.parseInt(plane) != p + 1) {
        continue;
      }
      if (host.equals("*")) {
        for (int h = 0; h < topology.hosts(); h++) {
          list.add(topology.hostLink(h, p));
        }
      } else if (Integer.parseInt(host) < topology.hosts()) {
        list.add(topology.hostLink(Integer.parseInt(host), p));
      }
    }
    return list;
  }

  private Element cable(String name, int link) {
    int back = topology.reverse(link);
    return new Element(name, List.of(link, back), List.of());
  }

  private List<Element> switches(String name) {
    Pattern pattern = pattern(name);
    List<Element> list = new ArrayList<>();
    for (int node = 0; node < topology.switches(); node++) {
      if (pattern.matcher(topology.switchName(node)).matches()) {
        TreeSet<Integer> links = new TreeSet<>();
        for (int port = 0; port < topology.ports(node); port++) {
          links.add(topology.port(node, port));
          links.add(topology.reverse(topology.port(node, port)));
        }
        list.add(new Element(topology.switchName(node), List.copyOf(links), List.of(node)));
      }
    }
    return list;
  }

  /** Links by {@code from>to}; only those of nodes that fit the first half are looked at. */
  private List<Element> links(String name, boolean bothWays) {
    Pattern whole = pattern(name);
    String begin = name.substring(0, name.indexOf('>'));
    TreeMap<Integer, String> found = new TreeMap<>();
    var nic = FROM_NIC.matcher(name);
    if (nic.lookingAt()) {
      for (int link : hostLinks(nic.group(1) == null ? "*" : nic.group(1), nic.group(2))) {
        addIf(whole, link, found);
      }
    }
    Pattern node = pattern(begin);
    for (int n = 0; n < topology.switches(); n++) {
      if (node.matcher(topology.switchName(n)).matches()) {
        for (int port = 0; port < topology.ports(n); port++) {
          addIf(whole, topology.port(n, port), found);
        }
      }
    }
    List<Element> list = new ArrayList<>();
    found.forEach((link, own) -> {
      if (!bothWays) {
        list.add(new Element(own, List.of(link), List.of()));
      } else if (!(found.containsKey(topology.reverse(link)) && topology.reverse(link) < link)) {
        list.add(cable(own.replace('>', '-'), link));
      }
    });
    return list;
  }

  private void addIf(Pattern pattern, int link, Map<Integer, String> found) {
    String name = topology.name(link);
    if (pattern.matcher(name).matches()) {
      found.put(link, name);
    }
  }
}

package io.anabranch.tools.scenario;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Hosts as a scenario writes them. */
final class HostList {
  private static final Pattern RANGE = Pattern.compile("([0-9]{1,7})(?:-([0-9]{1,7}))?");

  private HostList() {}

  static List<Integer> all(int hosts) {
    return IntStream.range(0, hosts).boxed().toList();
  }

  /**
   * Reads {@code all}, ranges and numbers.
   *
   * @throws IllegalArgumentException saying what is allowed
   */
  static List<Integer> parse(Node node, int hosts) {
    SequencedSet<Integer> found = new LinkedHashSet<>();
    switch (node) {
      case Node.Scalar single -> add(single.text(), hosts, found);
      case Node.Items list -> {
        for (Node item : list.items()) {
          if (!(item instanceof Node.Scalar single)) {
            throw allowed(hosts);
          }
          add(single.text(), hosts, found);
        }
      }
      default -> throw allowed(hosts);
    }
    if (found.isEmpty()) {
      throw allowed(hosts);
    }
    return List.copyOf(found);
  }

  private static void add(String text, int hosts, SequencedSet<Integer> into) {
    if (text.equals("all")) {
      into.addAll(all(hosts));
      return;
    }
    for (String part : text.split(",", -1)) {
      Matcher m = RANGE.matcher(part.strip());
      if (!m.matches()) {
        throw allowed(hosts);
      }
      int first = Integer.parseInt(m.group(1));
      int last = m.group(2) == null ? first : Integer.parseInt(m.group(2));
      if (first > last || last >= hosts) {
        throw allowed(hosts);
      }
      for (int host = first; host <= last; host++) {
        if (!into.add(host)) {
          throw new IllegalArgumentException("each host once; " + host + " is there twice");
        }
      }
    }
  }

  private static IllegalArgumentException allowed(int hosts) {
    return new IllegalArgumentException(
        "hosts 0…" + (hosts - 1) + ", such as 0-7, 0-3,8 or all (the topology has " + hosts + ")");
  }

  /** Writes hosts so that they read back the same. */
  static String format(List<Integer> hosts, int all) {
    if (hosts.size() == all && hosts.equals(all(all))) {
      return "all";
    }
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < hosts.size(); ) {
      int from = i;
      while (i + 1 < hosts.size() && hosts.get(i + 1) == hosts.get(i) + 1) {
        i++;
      }
      parts.add(from == i ? "" + hosts.get(i) : hosts.get(from) + "-" + hosts.get(i));
      i++;
    }
    return String.join(",", parts);
  }
}

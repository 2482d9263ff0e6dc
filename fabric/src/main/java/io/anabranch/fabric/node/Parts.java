package io.anabranch.fabric.node;

import io.anabranch.fabric.topology.Topology;

/**
 * A network cut into parts that can be run at the same time: hosts by their numbers, switches with
 * most of what is below them, and where that is spread by their own numbers.
 */
public final class Parts {
  private final byte[] ofHost;
  private final byte[] ofSwitch;
  private final byte[] atEnd;

  /**
   * Cuts a network.
   *
   * @param parts 1 … 127
   */
  public Parts(Topology topology, int parts) {
    ofHost = new byte[topology.hosts()];
    for (int host = 0; host < ofHost.length; host++) {
      ofHost[host] = (byte) ((long) host * parts / ofHost.length);
    }
    ofSwitch = new byte[topology.switches()];
    boolean[] known = new boolean[ofSwitch.length];
    for (int node = 0; node < ofSwitch.length; node++) {
      ofSwitch[node] = (byte) choose(topology, node, parts, known);
      known[node] = true;
    }
    atEnd = new byte[topology.links()];
    for (int link = 0; link < atEnd.length; link++) {
      int node = topology.switchAt(link);
      atEnd[link] = node == Topology.HOST ? ofHost[topology.hostAt(link)] : ofSwitch[node];
    }
  }

  private int choose(Topology topology, int node, int parts, boolean[] known) {
    int[] below = new int[parts];
    int all = 0;
    for (int port = 0; port < topology.ports(node); port++) {
      int link = topology.port(node, port);
      int end = topology.switchAt(link);
      if (end == Topology.HOST || known[end]) {
        below[end == Topology.HOST ? ofHost[topology.hostAt(link)] : ofSwitch[end]]++;
        all++;
      }
    }
    for (int part = 0; part < parts; part++) {
      if (2 * below[part] > all) {
        return part;
      }
    }
    return node % parts;
  }

  /** By host, the part that runs it. */
  public byte[] ofHost() {
    return ofHost;
  }

  /** By link, the part that runs what is at its end. */
  public byte[] atEnd() {
    return atEnd;
  }

  /** The part that runs the port which feeds a link. */
  public int from(Topology topology, int link) {
    int node = topology.switchFrom(link);
    return node == Topology.HOST ? ofHost[topology.hostFrom(link)] : ofSwitch[node];
  }
}

package io.anabranch.engine.config;

/**
 * The EVs of a profile, in a fixed order and shared by every queue pair that uses it: EV value and
 * port of each. Immutable.
 */
public final class EvTable {
  private final int[] evs;
  private final byte[] ports;

  /**
   * @param evs EV values, 1 … 4096 of them
   * @param ports port of each, 0 … 31
   */
  public EvTable(int[] evs, int[] ports) {
    Check.range("evs.length", evs.length, 1, 4096);
    if (evs.length != ports.length) {
      throw new IllegalArgumentException(
          "ports.length: " + ports.length + ", allowed " + evs.length + " (one for each EV)");
    }
    this.evs = evs.clone();
    this.ports = new byte[ports.length];
    for (int i = 0; i < ports.length; i++) {
      this.ports[i] = (byte) Check.range("ports[" + i + "]", ports[i], 0, 31);
    }
  }

  /**
   * A table of {@code perPort} EVs a port, drawn from a seed: equally many for each, no value twice
   * on a port. The low 16 bits (the UDP source port) lie in 49152 … 65535 and differ as well, since
   * IPv4 and plain sockets carry nothing else.
   */
  public static EvTable spread(int ports, int perPort, long seed) {
    Check.range("ports", ports, 1, 32);
    Check.range("perPort", perPort, 1, 4096 / ports);
    java.util.SplittableRandom random = new java.util.SplittableRandom(seed);
    int[] ev = new int[ports * perPort];
    int[] port = new int[ports * perPort];
    java.util.BitSet used = new java.util.BitSet(1 << 14);
    for (int p = 0; p < ports; p++) {
      used.clear();
      for (int i = 0; i < perPort; i++) {
        int low = random.nextInt(1 << 14);
        while (used.get(low)) {
          low = low + 1 & 0x3fff;
        }
        used.set(low);
        ev[p * perPort + i] = random.nextInt(1 << 16) << 16 | 0xC000 | low;
        port[p * perPort + i] = p;
      }
    }
    return new EvTable(ev, port);
  }

  /** How many EVs. */
  public int size() {
    return evs.length;
  }

  /** EV value of entry {@code index}. */
  public int ev(int index) {
    return evs[index];
  }

  /** Port of entry {@code index}. */
  public int port(int index) {
    return ports[index];
  }
}

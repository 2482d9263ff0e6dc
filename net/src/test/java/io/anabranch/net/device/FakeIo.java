package io.anabranch.net.device;

import io.anabranch.engine.config.EvTable;
import io.anabranch.engine.config.PlaneAddress;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A device without a network: keeps what is sent, gives what a test puts in. */
public final class FakeIo implements PacketIo {
  private final int ports;
  public final List<Packet> sent = new ArrayList<>();
  private final List<Deque<Packet>> waiting = new ArrayList<>();
  public boolean full;
  public final boolean[] up;
  public @Nullable IOException failure;
  public int connections;

  public FakeIo(int ports) {
    this.ports = ports;
    up = new boolean[ports];
    for (int i = 0; i < ports; i++) {
      waiting.add(new ArrayDeque<>());
      up[i] = true;
    }
  }

  /** Lets a packet arrive. */
  public void arrive(Packet packet) {
    waiting.get(packet.port).add(copyOf(packet));
  }

  public static Packet copyOf(Packet packet) {
    Packet copy = new Packet(Math.max(1, packet.bytes.limit()));
    copy.copy(packet);
    return copy;
  }

  @Override
  public int ports() {
    return ports;
  }

  @Override
  public PlaneAddress address(int port) {
    return new PlaneAddress(0x20010db8L << 32, port + 1, 4791);
  }

  @Override
  public int mtuBytes() {
    return 4096;
  }

  @Override
  public long receiveBufferBytes() {
    return 1 << 20;
  }

  @Override
  public boolean isUp(int port) {
    return up[port];
  }

  @Override
  public PeerLink connect(List<PlaneAddress> planes, int evsPerPlane) {
    connections++;
    EvTable evs = EvTable.spread(planes.size(), evsPerPlane, 1);
    return new PeerLink() {
      @Override
      public EvTable evs() {
        return evs;
      }

      @Override
      public void close() {
        connections--;
      }
    };
  }

  @Override
  public boolean send(Packet packet, long nowNs) throws IOException {
    IOException e = failure;
    if (e != null) {
      throw e;
    }
    if (full) {
      return false;
    }
    sent.add(copyOf(packet));
    return true;
  }

  @Override
  public boolean receive(int port, Packet into, long nowNs) {
    Packet first = waiting.get(port).poll();
    if (first == null) {
      return false;
    }
    into.copy(first);
    return true;
  }

  @Override
  public void advance(long nowNs) {}

  @Override
  public long nextDeadlineNs() {
    return NEVER;
  }

  @Override
  public void await(long maxNs) {
    Thread.onSpinWait();
  }

  @Override
  public void wakeup() {}

  @Override
  public void close() {}
}

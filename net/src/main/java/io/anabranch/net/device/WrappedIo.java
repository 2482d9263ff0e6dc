package io.anabranch.net.device;

import io.anabranch.engine.config.PlaneAddress;
import java.io.IOException;
import java.util.List;

/** A device that passes everything on to another: the base of those that change something. */
public abstract class WrappedIo implements PacketIo {
  /** The device below. */
  protected final PacketIo inner;

  /** Wraps {@code inner}, which closes with this device. */
  protected WrappedIo(PacketIo inner) {
    this.inner = inner;
  }

  @Override
  public int ports() {
    return inner.ports();
  }

  @Override
  public PlaneAddress address(int port) {
    return inner.address(port);
  }

  @Override
  public int mtuBytes() {
    return inner.mtuBytes();
  }

  @Override
  public long receiveBufferBytes() {
    return inner.receiveBufferBytes();
  }

  @Override
  public boolean isUp(int port) {
    return inner.isUp(port);
  }

  @Override
  public PeerLink connect(List<PlaneAddress> planes, int evsPerPlane) throws IOException {
    return inner.connect(planes, evsPerPlane);
  }

  @Override
  public boolean send(Packet packet, long nowNs) throws IOException {
    return inner.send(packet, nowNs);
  }

  @Override
  public boolean receive(int port, Packet into, long nowNs) throws IOException {
    return inner.receive(port, into, nowNs);
  }

  @Override
  public void advance(long nowNs) {
    inner.advance(nowNs);
  }

  @Override
  public long nextDeadlineNs() {
    return inner.nextDeadlineNs();
  }

  @Override
  public void await(long maxNs) {
    inner.await(maxNs);
  }

  @Override
  public void wakeup() {
    inner.wakeup();
  }

  @Override
  public void close() {
    inner.close();
  }
}

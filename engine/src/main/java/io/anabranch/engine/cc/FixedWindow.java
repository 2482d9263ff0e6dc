package io.anabranch.engine.cc;

/** A window that never changes. */
public final class FixedWindow implements CongestionControl {
  private final long cwndBytes;
  private long inflightBytes;

  /** A window of {@code cwndBytes}. */
  public FixedWindow(long cwndBytes) {
    this.cwndBytes = cwndBytes;
  }

  @Override
  public boolean maySend(int bytes) {
    return inflightBytes == 0 || inflightBytes + bytes <= cwndBytes;
  }

  @Override
  public void onSend(int bytes) {
    inflightBytes += bytes;
  }

  @Override
  public void onArrived(int bytes) {
    inflightBytes -= bytes;
  }

  @Override
  public void onSack(
      long newBytes, long rttNs, boolean marked, int penalty, boolean restore, long nowNs) {
    // A fixed window listens to nothing.
  }

  @Override
  public void onNack(int bytes, boolean trimmed, long nowNs) {
    inflightBytes -= bytes;
  }

  @Override
  public void onLoss(int bytes, long nowNs) {
    inflightBytes -= bytes;
  }

  @Override
  public void onAbandon(long bytes) {
    inflightBytes -= bytes;
  }

  @Override
  public long cwndBytes() {
    return cwndBytes;
  }

  @Override
  public long inflightBytes() {
    return inflightBytes;
  }
}

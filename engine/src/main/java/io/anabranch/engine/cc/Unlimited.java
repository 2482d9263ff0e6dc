package io.anabranch.engine.cc;

import io.anabranch.engine.config.CcConfig;

/** No window. What is in flight is still counted. */
public final class Unlimited implements CongestionControl {
  private long inflightBytes;

  @Override
  public boolean maySend(int bytes) {
    return true;
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
    // Nothing would change.
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
    return CcConfig.MAX_WINDOW_BYTES;
  }

  @Override
  public long inflightBytes() {
    return inflightBytes;
  }
}

package io.anabranch.verbs;

import java.nio.ByteBuffer;

/**
 * What a group of queue pairs will be used for, told to the device before they are made.
 *
 * <p>This device takes and keeps hints and does not act on them.
 */
public final class QpHint implements AutoCloseable {
  /** Size of a hint's vendor part. */
  public static final int VENDOR_BYTES = 128;

  /**
   * A hint's content.
   *
   * @param qpsPerPeer queue pairs to each peer, at least 0; 0 = unknown
   * @param sendPeers peers that are sent to at a time, at least 0; 0 = unknown
   * @param remoteReceivePeers peers that each receiver hears from at a time, at least 0; 0 =
   *     unknown
   * @param vendor bytes for the device, 0 … 128; zero-padded to 128, and read-only
   */
  public record Attributes(
      int qpsPerPeer, int sendPeers, int remoteReceivePeers, ByteBuffer vendor) {
    /** Nothing is known. */
    public static final Attributes UNKNOWN = new Attributes(0, 0, 0, ByteBuffer.allocate(0));

    /** Checks ranges and copies. */
    public Attributes {
      MrcException.range("qpsPerPeer", qpsPerPeer, 0, Integer.MAX_VALUE);
      MrcException.range("sendPeers", sendPeers, 0, Integer.MAX_VALUE);
      MrcException.range("remoteReceivePeers", remoteReceivePeers, 0, Integer.MAX_VALUE);
      if (vendor.remaining() > VENDOR_BYTES) {
        throw new MrcException(
            MrcException.Code.E2BIG, "vendor: " + vendor.remaining() + " bytes, allowed 0…128");
      }
      ByteBuffer copy = ByteBuffer.allocate(VENDOR_BYTES);
      copy.put(vendor.duplicate()).clear();
      vendor = copy.asReadOnlyBuffer();
    }

    /** The vendor's 128 bytes; a view of its own for every caller. */
    @Override
    public ByteBuffer vendor() {
      return vendor.duplicate();
    }
  }

  private final MrcContext context;
  private volatile Attributes attributes;
  private volatile boolean closed;

  /** Queue pairs that use it; guarded by the context's control lock. */
  int users;

  QpHint(MrcContext context, Attributes attributes) {
    this.context = context;
    this.attributes = attributes;
  }

  boolean belongsTo(MrcContext owner) {
    return context == owner && !closed;
  }

  /** What it says. */
  public Attributes query() {
    return attributes;
  }

  /**
   * Changes what it says, for queue pairs that use it already too.
   *
   * @throws MrcException EINVAL when closed
   */
  public void modify(Attributes value) {
    if (closed) {
      throw new MrcException(MrcException.Code.EINVAL, "QP hint: closed");
    }
    attributes = value;
  }

  /**
   * Ends it. Without effect when closed already.
   *
   * @throws MrcException EBUSY while queue pairs use it: from INIT until RESET
   */
  @Override
  public void close() {
    context.lock.lock();
    try {
      if (!closed) {
        MrcContext.checkUnused("QP hint", users, "queue pairs");
        closed = true;
        context.hints.remove(this);
      }
    } finally {
      context.lock.unlock();
    }
  }
}

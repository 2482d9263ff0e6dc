package io.anabranch.verbs;

import io.anabranch.engine.Command;
import io.anabranch.engine.config.EvTable;
import io.anabranch.verbs.MrcException.Code;

/**
 * A remote device as queue pairs are connected to it: its addresses, the paths there, and the
 * window that all queue pairs to it share.
 */
public final class Peer implements AutoCloseable {
  private final MrcContext context;
  private final EndpointInfo info;
  private final EvProfile evProfile;
  private final CcProfile ccProfile;
  private final long windowBytes;
  private volatile boolean closed;

  /** The engine's name for it. */
  final int handle;

  /** The paths that the driver prepared. */
  final EvTable paths;

  /** Queue pairs that use it; guarded by the context's control lock. */
  int users;

  Peer(
      MrcContext context,
      int handle,
      EndpointInfo info,
      EvProfile evProfile,
      CcProfile ccProfile,
      long windowBytes,
      EvTable paths) {
    this.context = context;
    this.handle = handle;
    this.info = info;
    this.evProfile = evProfile;
    this.ccProfile = ccProfile;
    this.windowBytes = windowBytes;
    this.paths = paths;
  }

  /** What was told of it. */
  public EndpointInfo info() {
    return info;
  }

  /** The EV profile of queue pairs to it. */
  public EvProfile evProfile() {
    return evProfile;
  }

  /** The CC profile of queue pairs to it. */
  public CcProfile ccProfile() {
    return ccProfile;
  }

  /** Bytes that may be in flight towards it at most, all queue pairs together. */
  public long windowBytes() {
    return windowBytes;
  }

  /** Payload bytes of a full packet to it: the smaller of both sides' MTU. */
  public int mtuBytes() {
    return Math.min(info.mtuBytes(), context.endpointInfo().mtuBytes());
  }

  boolean belongsTo(MrcContext owner) {
    return context == owner && !closed;
  }

  /**
   * Forgets it. Without effect when closed already.
   *
   * @throws MrcException EBUSY while queue pairs are connected to it: from RTR until RESET
   */
  @Override
  public void close() {
    context.lock.lock();
    try {
      if (closed) {
        return;
      }
      MrcContext.checkUnused("peer", users, "queue pairs");
      if (!context.over()) {
        context.control((engine, nowNs) ->
            Dispatcher.check("close peer", engine.submit(new Command.RemovePeer(handle), nowNs)));
      }
      closed = true;
      context.forget(this);
    } finally {
      context.lock.unlock();
    }
  }

  /** Counts one more queue pair. The context's control lock is held. */
  void use(EvProfile ev, CcProfile cc) {
    if (!ev.equals(evProfile)) {
      throw new MrcException(
          Code.EINVAL, "EV_PROFILE: " + ev + ", allowed the peer's " + evProfile);
    }
    if (!cc.equals(ccProfile)) {
      throw new MrcException(
          Code.EINVAL, "CC_PROFILE: " + cc + ", allowed the peer's " + ccProfile);
    }
    users++;
  }
}

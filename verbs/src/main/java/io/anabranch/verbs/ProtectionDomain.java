package io.anabranch.verbs;

import io.anabranch.verbs.MrcException.Code;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;

/**
 * Holds memory regions and queue pairs together: a queue pair sends from, and its peer writes to,
 * regions of its own domain only.
 */
public final class ProtectionDomain implements AutoCloseable {
  final MrcContext context;

  /** The engine's name for it. */
  final int handle;

  /** Regions and queue pairs in it; guarded by the context's control lock. */
  int users;

  private volatile boolean closed;

  ProtectionDomain(MrcContext context, int handle) {
    this.context = context;
    this.handle = handle;
  }

  /**
   * Allocates off-heap memory and registers it; it is freed with the region.
   *
   * @param lengthBytes 1 … {@link MemoryRegion#MAX_LENGTH_BYTES}
   * @param access what may be done to it
   * @throws MrcException EINVAL for a length or access out of range; ENOMEM when there is no such
   *     memory
   */
  @SuppressWarnings("MustBeClosedChecker") // the region closes it
  public MemoryRegion register(long lengthBytes, Access... access) {
    MrcException.range("lengthBytes", lengthBytes, 1, MemoryRegion.MAX_LENGTH_BYTES);
    Arena arena = Arena.ofShared();
    try {
      MemorySegment segment = arena.allocate(lengthBytes, MemoryRegion.ALIGNMENT_BYTES);
      return MemoryRegion.register(this, segment, arena, flags(access));
    } catch (OutOfMemoryError e) {
      arena.close();
      throw new MrcException(Code.ENOMEM, "lengthBytes: " + lengthBytes + " not free", -1, e);
    } catch (MrcException e) {
      arena.close();
      throw e;
    }
  }

  /**
   * Registers memory of the caller's, for instance a mapped file. Its remote address is the
   * segment's own.
   *
   * @param segment off-heap, of an arena that any thread may use, and alive until the region is
   *     closed. If it ends earlier, work that reads it fails with LOC_PROT_ERR and what peers write
   *     is lost
   * @param access what may be done to it
   * @throws MrcException EINVAL for a segment or access that is not allowed
   */
  public MemoryRegion register(MemorySegment segment, Access... access) {
    if (!segment.isNative()) {
      throw MrcException.invalid("segment", "on the heap", "off-heap");
    }
    if (!segment.isAccessibleBy(MrcContext.SOME_THREAD)) {
      throw MrcException.invalid("segment", "confined to a thread", "a shared arena's");
    }
    if (!segment.scope().isAlive()) {
      throw MrcException.invalid("segment", "of a closed arena", "alive");
    }
    MrcException.range("segment.byteSize", segment.byteSize(), 1, MemoryRegion.MAX_LENGTH_BYTES);
    EnumSet<Access> flags = flags(access);
    if (segment.isReadOnly() && !flags.isEmpty()) {
      throw MrcException.invalid("access", flags, "none for a read-only segment");
    }
    return MemoryRegion.register(this, segment, null, flags);
  }

  private static EnumSet<Access> flags(Access... access) {
    EnumSet<Access> flags = EnumSet.noneOf(Access.class);
    for (Access a : access) {
      flags.add(a);
    }
    if (flags.contains(Access.REMOTE_WRITE) && !flags.contains(Access.LOCAL_WRITE)) {
      throw MrcException.invalid("access", "REMOTE_WRITE", "REMOTE_WRITE with LOCAL_WRITE");
    }
    return flags;
  }

  /**
   * Makes a queue pair in RESET, with a QP number and a starting PSN that nobody can guess.
   *
   * @throws MrcException EINVAL for a value out of range or an object of another context; ENOTSUP
   *     for a protocol version other than 1; ENOMEM when the context has its most queue pairs
   */
  public QueuePair createQueuePair(QueuePairConfig config) {
    return context.createQueuePair(this, config);
  }

  /** Counts one more user. The context's control lock is held. */
  void use() {
    if (closed) {
      throw new MrcException(Code.EINVAL, "protection domain: closed");
    }
    users++;
  }

  /**
   * Ends it. Without effect when closed already.
   *
   * @throws MrcException EBUSY while regions or queue pairs are in it
   */
  @Override
  public void close() {
    context.lock.lock();
    try {
      if (!closed) {
        MrcContext.checkUnused("protection domain", users, "regions and queue pairs");
        closed = true;
        context.domains.remove(this);
      }
    } finally {
      context.lock.unlock();
    }
  }
}

package io.anabranch.verbs;

import io.anabranch.engine.Command;
import io.anabranch.verbs.MrcException.Code;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Registered memory: work requests gather from it, and peers that were told its address and R_Key
 * write to it if its access flags allow that. The engine checks key, domain, rights and bounds at
 * every packet.
 */
public final class MemoryRegion implements AutoCloseable {
  /** Largest region: 1 TiB. */
  public static final long MAX_LENGTH_BYTES = 1L << 40;

  /** Alignment of memory allocated here: a page. */
  static final long ALIGNMENT_BYTES = 4096;

  private static final int WITHDRAWN = -1;
  private static final int VIEW_SHIFT = 30;
  private static final long VIEW_BYTES = 1L << VIEW_SHIFT;

  private final ProtectionDomain domain;
  private final MemorySegment segment;
  private final @Nullable Arena arena;
  private final Set<Access> access;
  private final int rKey;

  // Buffers over the segment, made once: copying through them allocates nothing.
  private final ByteBuffer[] views;

  // Outstanding work requests that refer to it, or WITHDRAWN.
  private final AtomicInteger uses = new AtomicInteger();

  /** The driver's thread's name for it, set when it is registered there. */
  private int handle;

  private MemoryRegion(
      ProtectionDomain domain,
      MemorySegment segment,
      @Nullable Arena arena,
      EnumSet<Access> access,
      int rKey) {
    this.domain = domain;
    this.segment = segment;
    this.arena = arena;
    this.access = Set.copyOf(access);
    this.rKey = rKey;
    views = new ByteBuffer[(int) (segment.byteSize() + VIEW_BYTES - 1 >>> VIEW_SHIFT)];
    for (int i = 0; i < views.length; i++) {
      long from = (long) i << VIEW_SHIFT;
      long bytes = Math.min(VIEW_BYTES, segment.byteSize() - from);
      views[i] = segment.asSlice(from, bytes).asByteBuffer();
    }
  }

  static MemoryRegion register(
      ProtectionDomain domain,
      MemorySegment segment,
      @Nullable Arena arena,
      EnumSet<Access> access) {
    MrcContext context = domain.context;
    context.lock.lock();
    try {
      domain.use();
      int key = context.numbers.key();
      boolean done = false;
      try {
        MemoryRegion region = new MemoryRegion(domain, segment, arena, access, key);
        context.control((engine, nowNs) -> {
          region.handle = context.dispatcher.addRegion(region);
          try {
            Dispatcher.check(
                "register",
                engine.submit(
                    new Command.RegisterRegion(
                        key,
                        region.handle,
                        region.address(),
                        region.lengthBytes(),
                        domain.handle,
                        access.contains(Access.REMOTE_WRITE)),
                    nowNs));
          } catch (MrcException e) {
            context.dispatcher.removeRegion(region.handle);
            throw e;
          }
        });
        context.regions.add(region);
        done = true;
        return region;
      } finally {
        if (!done) {
          context.numbers.freeKey(key);
          domain.users--;
        }
      }
    } finally {
      context.lock.unlock();
    }
  }

  /** The memory. */
  public MemorySegment segment() {
    return segment;
  }

  /** Address of its first byte, which a peer names to write to it. */
  public long address() {
    return segment.address();
  }

  /** Bytes. */
  public long lengthBytes() {
    return segment.byteSize();
  }

  /** The key that a peer names to write to it: random, of this region alone. */
  public int rKey() {
    return rKey;
  }

  /** What may be done to it. */
  public Set<Access> access() {
    return access;
  }

  /** The protection domain it is in. */
  public ProtectionDomain domain() {
    return domain;
  }

  /** Counts one more work request; false when it is withdrawn. */
  boolean use() {
    int n;
    do {
      n = uses.get();
      if (n == WITHDRAWN) {
        return false;
      }
    } while (!uses.compareAndSet(n, n + 1));
    return true;
  }

  void unuse() {
    uses.decrementAndGet();
  }

  /** Copies {@code bytes} at {@code offset} to a buffer's position. */
  void read(long offset, ByteBuffer into, int bytes) {
    long at = offset;
    int left = bytes;
    while (left > 0) {
      int index = (int) (at & VIEW_BYTES - 1);
      int n = (int) Math.min(left, VIEW_BYTES - index);
      int position = into.position();
      into.put(position, views[(int) (at >>> VIEW_SHIFT)], index, n);
      into.position(position + n);
      at += n;
      left -= n;
    }
  }

  /** Copies a buffer's remaining bytes to {@code offset}. */
  void write(long offset, ByteBuffer from) {
    long at = offset;
    int left = from.remaining();
    while (left > 0) {
      int index = (int) (at & VIEW_BYTES - 1);
      int n = (int) Math.min(left, VIEW_BYTES - index);
      int position = from.position();
      views[(int) (at >>> VIEW_SHIFT)].put(index, from, position, n);
      from.position(position + n);
      at += n;
      left -= n;
    }
  }

  /**
   * Withdraws its key and, if the memory was allocated with it, frees that. Without effect when
   * closed already.
   *
   * @throws MrcException EBUSY while work requests that refer to it are outstanding
   */
  @Override
  public void close() {
    MrcContext context = domain.context;
    context.lock.lock();
    try {
      if (uses.get() == WITHDRAWN) {
        return;
      }
      if (!uses.compareAndSet(0, WITHDRAWN)) {
        throw new MrcException(
            Code.EBUSY,
            "memory region: referred to by outstanding work requests: " + Math.max(1, uses.get()));
      }
      boolean done = false;
      try {
        if (!context.over()) {
          context.control((engine, nowNs) -> {
            engine.submit(new Command.DeregisterRegion(rKey), nowNs);
            context.dispatcher.removeRegion(handle);
          });
        }
        done = true;
      } finally {
        if (!done) {
          uses.set(0);
        }
      }
      finish();
    } finally {
      context.lock.unlock();
    }
  }

  /** The end, once the driver's thread does not know it any more. */
  private void finish() {
    domain.users--;
    domain.context.numbers.freeKey(rKey);
    domain.context.regions.remove(this);
    if (arena != null) {
      arena.close();
    }
  }
}

package io.anabranch.engine.responder;

/**
 * Registered memory by R_Key: an open-addressed table over primitives, looked up once a packet. A
 * key that was never registered, or was withdrawn, finds nothing.
 */
public final class Regions {
  private static final int FREE = 0;
  private static final int USED = 1;
  private static final int GONE = 2;

  private byte[] state = new byte[16];
  private int[] key = new int[16];
  private int[] region = new int[16];
  private long[] address = new long[16];
  private long[] length = new long[16];
  private int[] domain = new int[16];
  private boolean[] remoteWrite = new boolean[16];
  private int filled;

  /** Registers a region; false when the key is taken. */
  public boolean add(
      int rKey, int handle, long at, long bytes, int protectionDomain, boolean writable) {
    if (find(rKey) >= 0) {
      return false;
    }
    if (filled * 2 >= key.length) {
      rehash();
    }
    int i = slot(rKey);
    while (state[i] == USED) {
      i = i + 1 & key.length - 1;
    }
    if (state[i] == FREE) {
      filled++;
    }
    state[i] = USED;
    key[i] = rKey;
    region[i] = handle;
    address[i] = at;
    length[i] = bytes;
    domain[i] = protectionDomain;
    remoteWrite[i] = writable;
    return true;
  }

  /** Withdraws a key; false when there is none. */
  public boolean remove(int rKey) {
    int i = find(rKey);
    if (i < 0) {
      return false;
    }
    state[i] = GONE;
    return true;
  }

  private int slot(int rKey) {
    int h = rKey * 0x9E3779B9;
    return (h ^ h >>> 15) & key.length - 1;
  }

  /** Index of a key for the calls below, or −1. */
  public int find(int rKey) {
    int i = slot(rKey);
    while (state[i] != FREE) {
      if (state[i] == USED && key[i] == rKey) {
        return i;
      }
      i = i + 1 & key.length - 1;
    }
    return -1;
  }

  /**
   * Whether a remote write of {@code bytes} at {@code at} is allowed: domain, right and bounds of
   * the whole of it.
   */
  public boolean allows(int index, int protectionDomain, long at, int bytes) {
    long offset = at - address[index];
    return remoteWrite[index]
        && domain[index] == protectionDomain
        && offset >= 0
        && bytes <= length[index]
        && offset <= length[index] - bytes;
  }

  /** The handle that the region was registered with. */
  public int region(int index) {
    return region[index];
  }

  /** Offset of a virtual address in the region. */
  public long offset(int index, long at) {
    return at - address[index];
  }

  private void rehash() {
    final byte[] oldState = state;
    final int[] oldKey = key;
    final int[] oldRegion = region;
    final long[] oldAddress = address;
    final long[] oldLength = length;
    final int[] oldDomain = domain;
    final boolean[] oldWrite = remoteWrite;
    int used = 0;
    for (byte s : oldState) {
      used += s == USED ? 1 : 0;
    }
    int size = used * 4 > oldKey.length ? oldKey.length * 2 : oldKey.length;
    state = new byte[size];
    key = new int[size];
    region = new int[size];
    address = new long[size];
    length = new long[size];
    domain = new int[size];
    remoteWrite = new boolean[size];
    filled = 0;
    for (int i = 0; i < oldKey.length; i++) {
      if (oldState[i] == USED) {
        add(oldKey[i], oldRegion[i], oldAddress[i], oldLength[i], oldDomain[i], oldWrite[i]);
      }
    }
  }
}

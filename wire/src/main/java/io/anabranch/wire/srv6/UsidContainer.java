package io.anabranch.wire.srv6;

import io.anabranch.wire.ip.Address;
import java.util.Arrays;

/**
 * An IPv6 address as a container of compressed segments (RFC 9800, NEXT-CSID with a 32-bit locator
 * block and 16-bit uSIDs): the locator, then up to six uSIDs, zeros at the tail.
 *
 * <pre>
 *  0  |locator| uSID 1 | uSID 2 | uSID 3 | uSID 4 | uSID 5 | uSID 6 |
 *     4 bytes   2 bytes each; uSID 1 is the active one
 * </pre>
 *
 * @param hi high 64 bits: locator, uSIDs 1 and 2
 * @param lo low 64 bits: uSIDs 3…6
 */
public record UsidContainer(long hi, long lo) {
  /** Most uSIDs in one container. */
  public static final int MAX_USIDS = 6;

  /** Bits of one uSID. */
  public static final int USID_BITS = 16;

  /** A container with these uSIDs, none of which may be zero. */
  public static UsidContainer of(int locator, int... usids) {
    if (usids.length > MAX_USIDS) {
      throw new IllegalArgumentException("usids: " + usids.length + ", allowed 0…" + MAX_USIDS);
    }
    long hi = (long) locator << 32;
    long lo = 0;
    for (int i = 0; i < usids.length; i++) {
      if (usids[i] < 1 || usids[i] > 0xffff) {
        throw new IllegalArgumentException("usid: " + usids[i] + ", allowed 1…65535");
      }
      if (i < 2) {
        hi |= (long) usids[i] << (16 - 16 * i);
      } else {
        lo |= (long) usids[i] << (80 - 16 * i);
      }
    }
    return new UsidContainer(hi, lo);
  }

  /** The container that an address is. */
  public static UsidContainer of(Address address) {
    return new UsidContainer(address.hi(), address.lo());
  }

  /** The container as an address. */
  public Address address() {
    return new Address(hi, lo);
  }

  /** The 32-bit locator block. */
  public int locator() {
    return (int) (hi >>> 32);
  }

  /** uSID {@code i}, 0 = the active one; zero where there is none. */
  public int usid(int i) {
    return (int) (i < 2 ? hi >>> (16 - 16 * i) : lo >>> (80 - 16 * i)) & 0xffff;
  }

  /** The uSID that the next segment endpoint looks at, or 0. */
  public int active() {
    return usid(0);
  }

  /** uSIDs up to the last that is not zero: 0…6. */
  public int count() {
    int n = MAX_USIDS;
    while (n > 0 && usid(n - 1) == 0) {
      n--;
    }
    return n;
  }

  /** The uSIDs, active one first. */
  public int[] usids() {
    int[] all = new int[count()];
    Arrays.setAll(all, this::usid);
    return all;
  }

  /**
   * What a uN or uA endpoint makes of it: the active uSID gone, the others one place further up.
   */
  public UsidContainer shifted() {
    long locator = hi & 0xffff_ffff_0000_0000L;
    return new UsidContainer(locator | hi << 16 & 0xffff_ffffL | lo >>> 48, lo << 16);
  }
}

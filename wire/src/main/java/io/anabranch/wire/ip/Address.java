package io.anabranch.wire.ip;

import org.jspecify.annotations.Nullable;

/**
 * A 128-bit address; an IPv4 address is held IPv4-mapped (RFC 4291 section 2.5.5.2).
 *
 * @param hi high 64 bits
 * @param lo low 64 bits
 */
public record Address(long hi, long lo) implements Comparable<Address> {
  private static final int GROUPS = 8;
  private static final long MAPPED = 0xffffL << 32;

  /** The IPv4 address {@code address}, IPv4-mapped. */
  public static Address ofIp4(int address) {
    return new Address(0, MAPPED | (address & 0xffff_ffffL));
  }

  /** Whether {@code hi:lo} is an IPv4-mapped address. */
  public static boolean isIp4(long hi, long lo) {
    return hi == 0 && lo >>> 32 == 0xffff;
  }

  /** Whether this is an IPv4-mapped address. */
  public boolean isIp4() {
    return isIp4(hi, lo);
  }

  /** Dotted quad for IPv4, RFC 5952 text for IPv6. */
  @Override
  public String toString() {
    if (!isIp4()) {
      return ip6Text(hi, lo);
    }
    return (lo >>> 24 & 0xff)
        + "."
        + (lo >>> 16 & 0xff)
        + "."
        + (lo >>> 8 & 0xff)
        + "."
        + (lo & 0xff);
  }

  /** RFC 5952 text: lower case, the longest run of two or more zero groups shortened. */
  private static String ip6Text(long hi, long lo) {
    int bestAt = -1;
    int bestLength = 1;
    int run = 0;
    for (int i = 0; i < GROUPS; i++) {
      run = group(hi, lo, i) == 0 ? run + 1 : 0;
      if (run > bestLength) {
        bestLength = run;
        bestAt = i - run + 1;
      }
    }
    StringBuilder text = new StringBuilder(39);
    for (int i = 0; i < GROUPS; i++) {
      if (i == bestAt) {
        text.append("::");
        i += bestLength - 1;
        continue;
      }
      if (!text.isEmpty() && text.charAt(text.length() - 1) != ':') {
        text.append(':');
      }
      text.append(Integer.toHexString(group(hi, lo, i)));
    }
    return text.toString();
  }

  private static int group(long hi, long lo, int i) {
    return (int) ((i < 4 ? hi : lo) >>> 48 - 16 * (i & 3)) & 0xffff;
  }

  /** Reads IPv4 or IPv6 text (RFC 4291 section 2.2); null when it is neither. */
  public static @Nullable Address parse(String text) {
    if (text.indexOf(':') < 0) {
      long v4 = parse4(text);
      return v4 < 0 ? null : ofIp4((int) v4);
    }
    int gap = text.indexOf("::");
    if (gap >= 0 && text.indexOf("::", gap + 1) >= 0) {
      return null;
    }
    int[] groups = new int[GROUPS];
    int head = parseGroups(gap < 0 ? text : text.substring(0, gap), groups, 0);
    if (head < 0 || gap < 0) {
      return head == GROUPS ? of(groups) : null;
    }
    int[] after = new int[GROUPS];
    int tail = parseGroups(text.substring(gap + 2), after, 0);
    if (tail < 0 || head + tail >= GROUPS) {
      return null;
    }
    System.arraycopy(after, 0, groups, GROUPS - tail, tail);
    return of(groups);
  }

  private static Address of(int[] g) {
    return new Address(
        (long) g[0] << 48 | (long) g[1] << 32 | (long) g[2] << 16 | g[3],
        (long) g[4] << 48 | (long) g[5] << 32 | (long) g[6] << 16 | g[7]);
  }

  /** Number of groups read, or −1. */
  private static int parseGroups(String text, int[] groups, int from) {
    if (text.isEmpty()) {
      return from;
    }
    int n = from;
    int at = 0;
    while (true) {
      int colon = text.indexOf(':', at);
      String part = text.substring(at, colon < 0 ? text.length() : colon);
      if (colon < 0 && part.indexOf('.') >= 0) {
        long v4 = parse4(part);
        if (v4 < 0 || n + 2 > GROUPS) {
          return -1;
        }
        groups[n++] = (int) (v4 >>> 16);
        groups[n++] = (int) v4 & 0xffff;
        return n;
      }
      if (n == GROUPS || part.isEmpty() || part.length() > 4 || !isHex(part)) {
        return -1;
      }
      groups[n++] = Integer.parseInt(part, 16);
      if (colon < 0) {
        return n;
      }
      at = colon + 1;
    }
  }

  private static boolean isHex(String part) {
    return part.chars().allMatch(c -> c < 128 && Character.digit(c, 16) >= 0);
  }

  private static long parse4(String text) {
    long value = 0;
    int at = 0;
    for (int i = 0; i < 4; i++) {
      int dot = i < 3 ? text.indexOf('.', at) : text.length();
      if (dot <= at || dot - at > 3) {
        return -1;
      }
      int octet = 0;
      for (; at < dot; at++) {
        char c = text.charAt(at);
        if (c < '0' || c > '9') {
          return -1;
        }
        octet = 10 * octet + c - '0';
      }
      if (octet > 255) {
        return -1;
      }
      value = value << 8 | octet;
      at = dot + 1;
    }
    return value;
  }

  @Override
  public int compareTo(Address other) {
    int high = Long.compareUnsigned(hi, other.hi);
    return high != 0 ? high : Long.compareUnsigned(lo, other.lo);
  }
}

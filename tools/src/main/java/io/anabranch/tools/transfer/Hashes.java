package io.anabranch.tools.transfer;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/** SHA-256 of each file of a transfer, in its order, packed. */
final class Hashes {
  /** Bytes of one. */
  static final int BYTES = 32;

  private byte[] packed = new byte[16 * BYTES];
  private int count;

  static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  int count() {
    return count;
  }

  void add(byte[] hash) {
    if (packed.length < (count + 1) * BYTES) {
      packed = Arrays.copyOf(packed, packed.length * 2);
    }
    System.arraycopy(hash, 0, packed, count * BYTES, BYTES);
    count++;
  }

  byte[] get(int index) {
    return Arrays.copyOfRange(packed, index * BYTES, (index + 1) * BYTES);
  }

  String hex(int index) {
    return HexFormat.of().formatHex(packed, index * BYTES, (index + 1) * BYTES);
  }
}

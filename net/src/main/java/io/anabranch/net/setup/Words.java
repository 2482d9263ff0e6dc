package io.anabranch.net.setup;

import java.nio.charset.StandardCharsets;

/** Text that a peer sent, made harmless for a terminal. */
final class Words {
  private static final int MAX_BYTES = 1024;

  private Words() {}

  static String of(byte[] utf8) {
    String text = new String(utf8, StandardCharsets.UTF_8);
    StringBuilder clean = new StringBuilder(text.length());
    text.codePoints()
        .forEach(c -> clean.appendCodePoint(Character.isISOControl(c) || isFormat(c) ? '?' : c));
    return clean.toString();
  }

  private static boolean isFormat(int codePoint) {
    return Character.getType(codePoint) == Character.FORMAT;
  }

  /** As UTF-8, cut to what a message may hold. */
  static byte[] bytes(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return bytes.length <= MAX_BYTES ? bytes : java.util.Arrays.copyOf(bytes, MAX_BYTES);
  }
}

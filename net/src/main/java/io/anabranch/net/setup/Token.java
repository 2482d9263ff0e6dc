package io.anabranch.net.setup;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A secret that both sides know. It never crosses the wire: each side proves that it has it by an
 * HMAC-SHA256 of both sides' nonces. Its text is not shown by {@link #toString}.
 */
public final class Token {
  /** Bytes of an HMAC-SHA256. */
  static final int MAC_BYTES = 32;

  private static final int MIN_CHARACTERS = 16;
  private static final int MAX_CHARACTERS = 128;
  private static final int GENERATED_CHARACTERS = 26;
  private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
  private static final String ALGORITHM = "HmacSHA256";

  private final String text;

  private Token(String text) {
    this.text = text;
  }

  /**
   * A token of 16 … 128 characters.
   *
   * @throws IllegalArgumentException when it has fewer or more; the message does not show it
   */
  public static Token of(String text) {
    if (text.length() < MIN_CHARACTERS || text.length() > MAX_CHARACTERS) {
      throw new IllegalArgumentException(
          "token: "
              + text.length()
              + " characters, allowed "
              + MIN_CHARACTERS
              + "…"
              + MAX_CHARACTERS);
    }
    return new Token(text);
  }

  /** A new token of 130 random bits. */
  public static Token generate(SecureRandom random) {
    StringBuilder text = new StringBuilder(GENERATED_CHARACTERS);
    for (int i = 0; i < GENERATED_CHARACTERS; i++) {
      text.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
    }
    return new Token(text.toString());
  }

  /** The secret itself, for the user who has to pass it on. */
  public String reveal() {
    return text;
  }

  byte[] mac(String purpose, byte[] first, byte[] second) {
    return mac(
        text.getBytes(StandardCharsets.UTF_8),
        purpose.getBytes(StandardCharsets.UTF_8),
        first,
        second);
  }

  static byte[] mac(byte[] key, byte[]... parts) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      for (byte[] part : parts) {
        mac.update(part);
      }
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
  }

  @Override
  public String toString() {
    return "Token[hidden]";
  }
}

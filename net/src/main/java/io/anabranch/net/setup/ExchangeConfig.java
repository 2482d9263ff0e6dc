package io.anabranch.net.setup;

import io.anabranch.engine.config.Check;
import org.jspecify.annotations.Nullable;

/**
 * How a set-up behaves.
 *
 * @param token the secret that the peer must have as well, or null: none asked for
 * @param handshakeMs time that a whole set-up may take, 100 ms … 10 min
 * @param keepaliveMs time between two signs of life, 10 ms … 10 min
 * @param silenceMs time without any after which the peer counts as dead; more than {@code
 *     keepaliveMs}, at most 1 h
 * @param maxPending set-ups that a listener works on at once, 1 … 1024
 */
public record ExchangeConfig(
    @Nullable Token token, int handshakeMs, int keepaliveMs, int silenceMs, int maxPending) {
  /** No token; 10 s for a set-up, signs of life every 2 s, dead after 20 s. */
  public static final ExchangeConfig DEFAULT = new ExchangeConfig(null, 10_000, 2_000, 20_000, 16);

  /** Checks ranges. */
  public ExchangeConfig {
    Check.range("handshakeMs", handshakeMs, 100, 600_000);
    Check.range("keepaliveMs", keepaliveMs, 10, 600_000);
    Check.range("silenceMs", silenceMs, keepaliveMs + 1L, 3_600_000);
    Check.range("maxPending", maxPending, 1, 1024);
  }

  /** The same with another token. */
  public ExchangeConfig withToken(@Nullable Token other) {
    return new ExchangeConfig(other, handshakeMs, keepaliveMs, silenceMs, maxPending);
  }
}

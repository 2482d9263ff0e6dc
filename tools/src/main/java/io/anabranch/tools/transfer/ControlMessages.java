package io.anabranch.tools.transfer;

import io.anabranch.net.setup.Exchange;
import io.anabranch.net.setup.ExchangeException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** The transfer's messages over the life line: manifest, hashes, and the two answers. */
final class ControlMessages {
  /** Kinds of message: the first byte. */
  enum Kind {
    /** Sender: entries. */
    MANIFEST,
    /** Receiver: the manifest is accepted, data may come. */
    READY,
    /** Sender: SHA-256 of the next files, in order. */
    HASHES,
    /** Receiver: everything is in its place. */
    STORED
  }

  private static final Kind[] KINDS = Kind.values();
  private static final int HASH_BYTES = Hashes.BYTES;
  private static final Duration LOOK = Duration.ofMillis(50);
  private static final long SECOND_NS = 1_000_000_000L;

  private final Exchange exchange;
  private final LifeLine life;

  ControlMessages(Exchange exchange, LifeLine life) {
    this.exchange = exchange;
    this.life = life;
  }

  void send(Kind kind) throws IOException {
    send(begin(kind));
  }

  private static ByteBuffer begin(Kind kind) {
    return ByteBuffer.allocate(Exchange.MAX_MESSAGE_BYTES).put((byte) kind.ordinal());
  }

  private void send(ByteBuffer message) throws IOException {
    byte[] bytes = new byte[message.position()];
    message.get(0, bytes);
    try {
      exchange.send(bytes);
    } catch (ExchangeException e) {
      life.checkUnfinished();
      throw e;
    }
  }

  void sendManifest(List<Entry> entries) throws IOException {
    ByteBuffer message = begin(Kind.MANIFEST);
    for (Entry entry : entries) {
      if (!Manifest.encode(entry, message)) {
        send(message);
        message = begin(Kind.MANIFEST);
        Manifest.encode(entry, message);
      }
    }
    send(message);
  }

  void sendHashes(Hashes hashes) throws IOException {
    int at = 0;
    while (at < hashes.count()) {
      ByteBuffer message = begin(Kind.HASHES);
      while (at < hashes.count() && message.remaining() >= HASH_BYTES) {
        message.put(hashes.get(at++));
      }
      send(message);
    }
  }

  /**
   * Waits for a message of one kind.
   *
   * @param seconds how long
   * @return its body
   * @throws TransferException when another kind or none came, or the peer is gone: then why
   */
  ByteBuffer expect(Kind kind, long seconds) throws IOException, InterruptedException {
    long endNs = System.nanoTime() + seconds * SECOND_NS;
    while (true) {
      try {
        ByteBuffer message = ByteBuffer.wrap(exchange.receive(LOOK));
        int code = message.hasRemaining() ? message.get() : -1;
        if (code != kind.ordinal()) {
          String got = code >= 0 && code < KINDS.length ? KINDS[code].name() : "something else";
          throw new TransferException(
              "the peer broke the rules: " + got + " instead of " + kind.name());
        }
        return message.slice();
      } catch (ExchangeException e) {
        // After an end, what came before it is delivered first; so it is asked about only then.
        if (e.reason() != ExchangeException.Reason.TIMEOUT) {
          life.checkUnfinished();
          throw e;
        }
        if (System.nanoTime() - endNs >= 0) {
          throw new TransferException(
              "no " + kind.name().toLowerCase(Locale.ROOT) + " message in " + seconds + " s", e);
        }
      }
    }
  }
}

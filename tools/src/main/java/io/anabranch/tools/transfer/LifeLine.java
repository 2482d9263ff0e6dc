package io.anabranch.tools.transfer;

import io.anabranch.net.setup.Exchange;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What may end a transfer from outside while it works: this side's user, or the peer's end. Its
 * thread asks often.
 */
final class LifeLine {
  private static final String PEER = "the peer";

  private final String peer;
  private volatile @Nullable String cancelled;
  private volatile @Nullable Exchange exchange;
  private volatile @Nullable CompletableFuture<Exchange.End> end;

  /** {@code peer}: what users call it. */
  LifeLine(String peer) {
    this.peer = peer;
  }

  /** From now on the exchange is watched. */
  void watch(Exchange watched) throws TransferException {
    end = watched.end();
    exchange = watched;
    if (cancelled != null) {
      watched.abort(cancelled);
    }
    check();
  }

  /** Ends the transfer soon and tells the peer why; any thread may ask. */
  void cancel(String why) {
    if (cancelled == null) {
      cancelled = why;
    }
    abort(why);
  }

  /** Tells the peer, if there is one, why this side gives up. */
  void abort(String why) {
    Exchange watched = exchange;
    if (watched != null) {
      watched.abort(why);
    }
  }

  /**
   * Checks that neither has happened.
   *
   * @throws TransferException when it has, with the reason
   */
  void check() throws TransferException {
    String why = cancelled;
    if (why != null) {
      throw new TransferException(why);
    }
    CompletableFuture<Exchange.End> ended = end;
    if (ended != null && ended.isDone()) {
      Exchange.End how = ended.join();
      throw new TransferException(
          how.orderly()
              ? peer + " ended before the transfer did"
              : how.reason().startsWith(PEER)
                  ? peer + how.reason().substring(PEER.length())
                  : peer + ": " + how.reason());
    }
  }
}

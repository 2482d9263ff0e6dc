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
   * Checks that neither this side was told to stop nor the peer is gone. An orderly end counts as
   * none: what the peer said before it may still be unread.
   *
   * @throws TransferException with the reason
   */
  void check() throws TransferException {
    check(false);
  }

  /** As {@link #check}, while the peer still has work to do: an orderly end is then too early. */
  void checkUnfinished() throws TransferException {
    check(true);
  }

  private void check(boolean unfinished) throws TransferException {
    String why = cancelled;
    if (why != null) {
      throw new TransferException(why);
    }
    CompletableFuture<Exchange.End> ended = end;
    if (ended == null || !ended.isDone()) {
      return;
    }
    Exchange.End how = ended.join();
    if (!how.orderly()) {
      String reason = how.reason();
      throw new TransferException(
          reason.startsWith(PEER) ? peer + reason.substring(PEER.length()) : peer + ": " + reason);
    }
    if (unfinished) {
      throw new TransferException(peer + " ended before the transfer did");
    }
  }
}

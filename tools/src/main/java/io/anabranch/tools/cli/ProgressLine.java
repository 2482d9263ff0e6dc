package io.anabranch.tools.cli;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** What is done, how fast it goes and what is left, in one line that is written again and again. */
final class ProgressLine implements AutoCloseable {
  private static final long PERIOD_MS = 250;

  /** How much of the newest rate goes into the one shown. */
  private static final double NEWEST = 0.3;

  private final PrintWriter err;
  private final LongSupplier done;
  private final LongSupplier total;
  private final CountDownLatch end = new CountDownLatch(1);
  private final Thread thread;
  private int width;

  private ProgressLine(PrintWriter err, LongSupplier done, LongSupplier total) {
    this.err = err;
    this.done = done;
    this.total = total;
    thread = Thread.ofVirtual().name("progress").unstarted(this::run);
  }

  /** Shows bytes done of those in all, while there are any; on a terminal alone. */
  static ProgressLine start(PrintWriter err, LongSupplier done, LongSupplier total) {
    ProgressLine line = new ProgressLine(err, done, total);
    if (Terminal.interactive()) {
      line.thread.start();
    }
    return line;
  }

  private void run() {
    try {
      long lastDone = done.getAsLong();
      double rate = 0;
      while (!end.await(PERIOD_MS, TimeUnit.MILLISECONDS)) {
        long nowDone = done.getAsLong();
        double newest = Math.max(0, nowDone - lastDone) * 1000.0 / PERIOD_MS;
        rate = rate == 0 ? newest : rate * (1 - NEWEST) + newest * NEWEST;
        lastDone = nowDone;
        long all = total.getAsLong();
        show(all == 0 ? "" : line(nowDone, all, rate));
      }
      show("");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Writes over the line before, and leaves the cursor at its start. */
  private void show(String text) {
    if (!text.isEmpty() || width > 0) {
      err.print("\r" + text + " ".repeat(Math.max(0, width - text.length())) + "\r");
      err.flush();
    }
    width = text.length();
  }

  static String line(long done, long total, double bytesPerSecond) {
    String left =
        bytesPerSecond < 1 ? "" : ", " + time((long) ((total - done) / bytesPerSecond)) + " left";
    return String.format(
        Locale.ROOT,
        "%s of %s, %.0f Mbit/s%s",
        TransferReport.size(done),
        TransferReport.size(total),
        bytesPerSecond * 8 / 1e6,
        left);
  }

  private static String time(long seconds) {
    return seconds < 60
        ? seconds + " s"
        : String.format(
            Locale.ROOT,
            seconds < 3600 ? "%2$d:%3$02d" : "%1$d:%2$02d:%3$02d",
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60);
  }

  @Override
  public void close() {
    end.countDown();
    boolean interrupted = false;
    try {
      thread.join();
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}

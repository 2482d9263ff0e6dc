package io.anabranch.tools.cli;

import io.anabranch.tools.run.Demo;
import io.anabranch.tools.run.DemoReport;
import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Shows a demonstration: a live table a plane on a terminal, and the story at its end. */
final class DemoScreen implements Demo.Observer {
  private static final int BAR = 24;

  private final PrintWriter out;
  private final boolean live;
  private int tableLines;
  private Demo.@Nullable Progress before;

  DemoScreen(PrintWriter out, boolean live) {
    this.out = out;
    this.live = live;
  }

  @Override
  public void note(String line) {
    eraseTable();
    out.println(line);
    out.flush();
  }

  private void eraseTable() {
    if (tableLines > 0) {
      out.print("\033[" + tableLines + "A\033[J");
      tableLines = 0;
    }
  }

  @Override
  public void progress(Demo.Progress now) {
    if (!live) {
      return;
    }
    eraseTable();
    List<Demo.Progress.Row> rows = now.planes();
    Demo.Progress last = before;
    double seconds = now.elapsedSeconds() - (last == null ? 0 : last.elapsedSeconds());
    long all = 0;
    long[] fresh = new long[rows.size()];
    for (int i = 0; i < fresh.length; i++) {
      long earlier = last == null ? 0 : last.planes().get(i).arrivedPackets();
      fresh[i] = rows.get(i).arrivedPackets() - earlier;
      all += fresh[i];
    }
    out.printf("plane  state       packets/s   share%n");
    for (int i = 0; i < fresh.length; i++) {
      double share = all == 0 ? 0 : (double) fresh[i] / all;
      out.printf(
          "%5d  %-10s %10.0f   %3.0f %%  %s%n",
          i + 1,
          rows.get(i).state(),
          seconds > 0 ? fresh[i] / seconds : 0,
          share * 100,
          "#".repeat((int) Math.round(share * BAR)));
    }
    long bytes = now.doneBytes() - (last == null ? 0 : last.doneBytes());
    double rate = seconds > 0 ? bytes / seconds : 0;
    out.printf(
        "%d of %d MiB, %.0f MB/s, %.1f s left, %,d sent again%n",
        now.doneBytes() >> 20,
        now.totalBytes() >> 20,
        rate / 1e6,
        rate > 0 ? (now.totalBytes() - now.doneBytes()) / rate : 0,
        now.retransmitted());
    out.flush();
    tableLines = fresh.length + 2;
    before = now;
  }

  /** The story at the end. */
  void story(DemoReport r) {
    out.println();
    out.printf(
        "moved      %,d bytes over %d planes, SHA-256 %s%n",
        r.bytes(), r.planes(), r.sha256Ok() ? "equal" : "DIFFERENT");
    out.printf("goodput    %,.0f Mb/s%n", r.goodputMbps().healthy());
    Double degraded = r.goodputMbps().degraded();
    Double recovered = r.goodputMbps().recovered();
    if (degraded != null) {
      out.printf("           %,.0f Mb/s with a plane dead%n", degraded);
    }
    if (recovered != null) {
      out.printf("           %,.0f Mb/s after its return%n", recovered);
    }
    if (r.failoverMs() != null) {
      out.printf("failover   %.1f ms until nothing was missing any more%n", r.failoverMs());
    }
    if (r.recoveryMs() != null) {
      out.printf("recovery   %.1f ms until the plane carried its share again%n", r.recoveryMs());
    }
    out.printf("stall      %.1f ms at most without progress%n", r.stallMsMax());
    out.printf("own gap    %.1f ms at most away from the sockets%n", r.loopGapMsMax());
    out.printf("sent again %,d packets", r.retransmitted());
    if (!r.lostPlanes().isEmpty()) {
      out.printf("; planes left for a time: %s", r.lostPlanes());
    }
    out.println();
    if (r.reason() != null) {
      out.println("reason     " + r.reason());
    }
  }
}

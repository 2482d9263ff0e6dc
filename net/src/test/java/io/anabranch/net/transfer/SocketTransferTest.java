package io.anabranch.net.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.net.capture.Capture;
import io.anabranch.net.fault.FaultKind;
import io.anabranch.net.fault.FaultSpec;
import io.anabranch.net.loop.LoopStats;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Real transfers: the real engine over real sockets on loopback. */
@Timeout(120)
class SocketTransferTest {
  private static final int BYTES = 24 << 20;

  @TempDir Path dir;

  private static void fill(TransferHost host, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < host.memory.capacity(); i += 8) {
      host.memory.putLong(i, random.nextLong());
    }
  }

  private static void finish(TransferHost a, TransferHost b, CountDownLatch sent)
      throws InterruptedException {
    boolean done = sent.await(90, TimeUnit.SECONDS);
    assertThat(a.cycle.failure()).isNull();
    assertThat(b.cycle.failure()).isNull();
    assertThat(done).as("done; %s; %s; %s", a.cycle.stats(), b.cycle.stats(), a.events).isTrue();
    assertThat(a.failed()).isNull();
    a.close();
    b.close();
    assertThat(b.memory.mismatch(a.memory)).isEqualTo(-1);
  }

  private static long sent(TransferHost host, int port) {
    return host.snapshot().planes().get(port).packetsSent();
  }

  /** Neither side's fault, nor a combination, harms a byte. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "::1       | 4 | '' | ''",
        "127.0.0.1 | 4 | '' | ''",
        "::1       | 1 | '' | ''",
        "::1       | 4 | loss=1% | ''",
        "127.0.0.1 | 2 | loss=1% | ''",
        "::1       | 4 | '' | loss=2%",
        "::1       | 4 | corrupt=1% | corrupt=0.5%",
        "127.0.0.1 | 4 | corrupt=1% | ''",
        "::1       | 4 | duplicate=5%,reorder=5%x20 | burst=0.2%x30",
        "::1       | 4 | trim=2%,mark=5% | trim=1%,mark=1%",
        "::1       | 4 | plane=3:delay=2ms~1ms | ''",
      })
  void everyByteArrives(String address, int ports, String here, String there) throws Exception {
    try (TransferHost a = new TransferHost("sender", address, ports, here, BYTES, null);
        TransferHost b = new TransferHost("receiver", address, ports, there, BYTES, null)) {
      fill(a, 1);
      TransferHost.connect(a, b);
      finish(a, b, a.send(BYTES));
      long packets = BYTES / 4096;
      assertThat(a.snapshot().packetsSent()).isBetween(packets, packets * 3);
      assertThat(b.cycle.stats().noBuffer()).isZero();
      if (here.contains("loss=1%")) {
        assertThat(a.snapshot().retransmitted()).isBetween(packets / 400, packets);
      }
    }
  }

  @Test
  void aPlaneCutUnderLoadIsLeftAndUsedAgain() throws Exception {
    int bytes = 96 << 20;
    try (TransferHost a = new TransferHost("sender", "::1", 4, "", bytes, null);
        TransferHost b = new TransferHost("receiver", "::1", 4, "", bytes, null)) {
      fill(a, 2);
      TransferHost.connect(a, b);
      CountDownLatch first = a.send(bytes / 3);
      assertThat(first.await(60, TimeUnit.SECONDS)).isTrue();
      a.faults.replace(FaultSpec.parse("plane=2:blackhole"));
      CountDownLatch second = a.send(2 * bytes / 3);
      assertThat(second.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(a.events).contains("PLANE_LEFT 1");
      long before = sent(a, 1);
      assertThat(a.faults.hits(FaultKind.BLACKHOLE, true, 1)).isPositive();
      a.faults.replace(FaultSpec.NONE);
      // A plane is probed while there is something to send; on a busy machine one write may not do.
      for (int i = 0; i < 20 && !a.events.contains("PLANE_BACK 1"); i++) {
        assertThat(a.send(bytes / 3).await(60, TimeUnit.SECONDS)).isTrue();
      }
      finish(a, b, a.send(bytes));
      assertThat(a.events).contains("PLANE_BACK 1");
      assertThat(sent(a, 1)).isGreaterThan(before);
    }
  }

  @Test
  void aTimedCutCountsFromTheFirstDataPacket() throws Exception {
    String cut = "plane=1:blackhole@5ms-60ms";
    try (TransferHost a = new TransferHost("sender", "::1", 4, "", BYTES, null);
        TransferHost b = new TransferHost("receiver", "::1", 4, cut, BYTES, null)) {
      fill(a, 3);
      TransferHost.connect(a, b);
      finish(a, b, a.send(BYTES));
      assertThat(b.faults.firstDataNs()).isPositive();
    }
  }

  @Test
  void aCaptureOfAFaultyTransferIsComplete() throws Exception {
    Path file = dir.resolve("transfer.pcapng");
    Capture capture = Capture.open(file);
    try (TransferHost a = new TransferHost("sender", "::1", 2, "loss=1%", BYTES, capture);
        TransferHost b = new TransferHost("receiver", "::1", 2, "", BYTES, capture)) {
      fill(a, 4);
      TransferHost.connect(a, b);
      finish(a, b, a.send(BYTES));
      capture.close();
      assertThat(capture.failure()).isNull();
      assertThat(capture.missed()).isZero();
      long offered =
          a.cycle.stats().ports().stream().mapToLong(LoopStats.Port::packetsSent).sum()
              + b.cycle.stats().ports().stream().mapToLong(LoopStats.Port::packetsSent).sum();
      assertThat(capture.frames()).isBetween(offered, offered + 4);
      String keep = System.getProperty("capture.keep", "");
      if (!keep.isEmpty()) {
        java.nio.file.Files.copy(file, Path.of(keep));
      }
    }
  }
}

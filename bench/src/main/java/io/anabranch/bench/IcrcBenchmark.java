package io.anabranch.bench;

import io.anabranch.wire.ib.Bth;
import io.anabranch.wire.ib.Icrc;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What the ICRC of a packet costs, beside a plain CRC-32 of as many bytes in the same run: the
 * difference is the masking, the plain CRC the floor.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class IcrcBenchmark {
  private static final long PREFIX = 0xfd00_0000_0000_0000L;
  private static final int WRITE_HEADERS = Bth.BYTES + 4 + 4 + 16; // BTH, METH, TSETH, RETH

  /** Bytes of payload: none (about a SACK's size), small, and usual path MTUs. */
  @Param({"0", "256", "1024", "4096", "8192"})
  public int payloadBytes;

  private final Icrc icrc = new Icrc();
  private final CRC32 crc = new CRC32();
  private ByteBuffer packet = ByteBuffer.allocateDirect(0);

  /** Fills a packet with bytes that are not all alike. */
  @Setup
  public void fill() {
    packet = ByteBuffer.allocateDirect(WRITE_HEADERS + payloadBytes);
    for (int i = 0; i < packet.capacity(); i++) {
      packet.put(i, (byte) (i * 31));
    }
  }

  /** As a socket computes it: addresses known, headers not at hand. */
  @Benchmark
  public int icrc() {
    return icrc.compute(PREFIX, 1, PREFIX, 2, 0xC001, 4791, packet, 0, packet.capacity());
  }

  /** The floor: the checksum of the transport headers and the payload alone. */
  @Benchmark
  public long crc32() {
    crc.reset();
    packet.clear();
    crc.update(packet);
    return crc.getValue();
  }
}

package io.anabranch.tools.run;

import io.anabranch.engine.config.Check;
import io.anabranch.net.fault.FaultSpec;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What {@code mrc demo} shall do.
 *
 * @param planes 2 … 16
 * @param sizeBytes bytes to move, 16 MiB … 8 GiB: they lie in memory twice
 * @param seed of the data, the paths and the faults
 * @param faults what to break in place of the cut in the middle; null for the cut
 * @param pcap where to write all packets, or null
 */
public record DemoConfig(
    int planes, long sizeBytes, long seed, @Nullable FaultSpec faults, @Nullable Path pcap) {
  /** Checks ranges. */
  public DemoConfig {
    Check.range("--planes", planes, 2, 16);
    Check.range("--size", sizeBytes, 16L << 20, 8L << 30);
    if (faults != null) {
      faults.check(planes);
    }
  }
}

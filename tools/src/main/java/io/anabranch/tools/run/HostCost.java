package io.anabranch.tools.run;

import com.sun.management.OperatingSystemMXBean;
import io.anabranch.fabric.Totals;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a run costs on this machine. */
final class HostCost {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final double MIB = 1 << 20;

  private HostCost() {}

  static SimResult.Host of(long wallNs, Totals totals) {
    double cpuS = cpuNs() / 1e9;
    return new SimResult.Host(
        SimRun.rounded(wallNs / 1e9, 3),
        SimRun.rounded(cpuS, 3),
        SimRun.rounded(peakMib(), 1),
        totals.events(),
        cpuS <= 0 ? 0 : Math.rint(totals.hops() / cpuS));
  }

  private static long cpuNs() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean bean
        ? Math.max(0, bean.getProcessCpuTime())
        : 0;
  }

  /** The kernel's figure where there is one, else the JVM's heap and metadata. */
  private static double peakMib() {
    try {
      for (String line : Files.readAllLines(STATUS)) {
        if (line.startsWith("VmHWM:")) {
          return Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024.0;
        }
      }
    } catch (IOException | NumberFormatException e) {
      return heapPeakMib();
    }
    return heapPeakMib();
  }

  private static double heapPeakMib() {
    long bytes = 0;
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      bytes += pool.getPeakUsage().getUsed();
    }
    return bytes / MIB;
  }
}

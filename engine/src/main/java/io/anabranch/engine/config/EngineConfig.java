package io.anabranch.engine.config;

import io.anabranch.wire.mrc.DscpMap;
import java.util.List;

/**
 * An engine's configuration. {@link #sockets} and {@link #fabric} give the defaults of the two
 * worlds; a record, so that a change is a copy.
 *
 * @param planes the NIC's own ports, each on a plane of its own
 * @param seed seeds the path rotation and probe ids
 * @param dscp traffic classes
 * @param reorderFloorNs least time by which a later copy must have been sent before an earlier one
 *     counts as lost (mrc-protocol, Requestor (c)); 0 in the fabric, 1 ms on sockets
 * @param sackBytes bytes since the last SACK that cause one (sack_gen_threshold), each packet
 *     counted as at least 1 KiB; 16 KiB in the fabric, 64 KiB on sockets, where each SACK costs two
 *     system calls
 * @param extraSacks SACKs beyond the triggered ones, per RTT; 8
 * @param minProbeSpacingNs least time between probes of one kind to one peer or EV; 1 ms on sockets
 * @param probeSuccesses answered probes that bring an ASSUMED_BAD EV back; 3
 * @param planeLossLimit distinct EVs of a plane lost since its last arrival that set it aside; 3
 * @param rttFloorNs base RTT never goes below
 * @param rttWindowNs time after which the minimum RTT is forgotten
 * @param timestamps whether writes carry a TSETH
 * @param reactive whether marks and trims make an EV be skipped; false = oblivious spraying, where
 *     only losses take an EV out of rotation
 * @param reverseProbes whether a side that only receives keeps its way back fresh with EV probes
 */
public record EngineConfig(
    List<PlaneAddress> planes,
    long seed,
    DscpMap dscp,
    long reorderFloorNs,
    int sackBytes,
    int extraSacks,
    long minProbeSpacingNs,
    int probeSuccesses,
    int planeLossLimit,
    long rttFloorNs,
    long rttWindowNs,
    boolean timestamps,
    boolean reactive,
    boolean reverseProbes) {
  /** Checks ranges. */
  public EngineConfig {
    planes = List.copyOf(planes);
    Check.range("planes.size", planes.size(), 1, 32);
    Check.range("reorderFloorNs", reorderFloorNs, 0, 10_000_000_000L);
    Check.range("sackBytes", sackBytes, 1024, 1 << 20);
    Check.range("extraSacks", extraSacks, 0, 4096);
    Check.range("minProbeSpacingNs", minProbeSpacingNs, 0, 10_000_000_000L);
    Check.range("probeSuccesses", probeSuccesses, 1, 100);
    Check.range("planeLossLimit", planeLossLimit, 1, 16);
    Check.range("rttFloorNs", rttFloorNs, 0, 10_000_000_000L);
    Check.range("rttWindowNs", rttWindowNs, 1_000, 3_600_000_000_000L);
  }

  /** Defaults for real sockets, whose delays are the host scheduler's. */
  public static EngineConfig sockets(List<PlaneAddress> planes, long seed) {
    return new EngineConfig(
        planes,
        seed,
        DscpMap.DEFAULT,
        1_000_000,
        64 << 10,
        8,
        1_000_000,
        3,
        3,
        10_000,
        10_000_000_000L,
        true,
        true,
        true);
  }

  /** Defaults for a simulated fabric. */
  public static EngineConfig fabric(List<PlaneAddress> planes, long seed) {
    return new EngineConfig(
        planes,
        seed,
        DscpMap.DEFAULT,
        0,
        16 << 10,
        8,
        0,
        3,
        3,
        0,
        10_000_000_000L,
        true,
        true,
        true);
  }

  /** The same with another {@link #sackBytes}. */
  public EngineConfig withSackBytes(int value) {
    return new EngineConfig(
        planes,
        seed,
        dscp,
        reorderFloorNs,
        value,
        extraSacks,
        minProbeSpacingNs,
        probeSuccesses,
        planeLossLimit,
        rttFloorNs,
        rttWindowNs,
        timestamps,
        reactive,
        reverseProbes);
  }

  /** The same with another {@link #rttFloorNs}. */
  public EngineConfig withRttFloorNs(long value) {
    return new EngineConfig(
        planes,
        seed,
        dscp,
        reorderFloorNs,
        sackBytes,
        extraSacks,
        minProbeSpacingNs,
        probeSuccesses,
        planeLossLimit,
        value,
        rttWindowNs,
        timestamps,
        reactive,
        reverseProbes);
  }

  /** The same with another {@link #timestamps}. */
  public EngineConfig withTimestamps(boolean value) {
    return new EngineConfig(
        planes,
        seed,
        dscp,
        reorderFloorNs,
        sackBytes,
        extraSacks,
        minProbeSpacingNs,
        probeSuccesses,
        planeLossLimit,
        rttFloorNs,
        rttWindowNs,
        value,
        reactive,
        reverseProbes);
  }

  /** The same with another {@link #reverseProbes}. */
  public EngineConfig withReverseProbes(boolean value) {
    return new EngineConfig(
        planes,
        seed,
        dscp,
        reorderFloorNs,
        sackBytes,
        extraSacks,
        minProbeSpacingNs,
        probeSuccesses,
        planeLossLimit,
        rttFloorNs,
        rttWindowNs,
        timestamps,
        reactive,
        value);
  }

  /** The same with another {@link #reactive}. */
  public EngineConfig withReactive(boolean value) {
    return new EngineConfig(
        planes,
        seed,
        dscp,
        reorderFloorNs,
        sackBytes,
        extraSacks,
        minProbeSpacingNs,
        probeSuccesses,
        planeLossLimit,
        rttFloorNs,
        rttWindowNs,
        timestamps,
        value,
        reverseProbes);
  }

  /** Ports of the NIC. */
  public int ports() {
    return planes.size();
  }
}

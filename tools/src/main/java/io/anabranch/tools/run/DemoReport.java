package io.anabranch.tools.run;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a demonstration came to. Numbers that do not apply (no plane was cut) are null.
 *
 * @param version of this layout
 * @param bytes moved
 * @param sha256Ok whether what arrived has the checksum of what was sent
 * @param planes how many there were
 * @param goodputMbps payload bits per microsecond
 * @param stallMsMax longest time in which the contiguous received prefix did not grow
 * @param stallAfterCutMsMax the same from the cut on
 * @param failoverMs from the cut until every data packet that the dead plane swallowed had arrived
 *     by another one, and none was sent into it any more
 * @param recoveryMs from the plane's return until it carried 80 % of an equal share
 * @param loopGapMsMax longest time in which an endpoint's own thread did not look at its sockets
 * @param retransmitted data packets sent again
 * @param lostPlanes planes that were set aside, from 1
 * @param result PASS or FAIL
 * @param reason why it failed, or null
 */
public record DemoReport(
    int version,
    long bytes,
    boolean sha256Ok,
    int planes,
    Goodput goodputMbps,
    double stallMsMax,
    @Nullable Double stallAfterCutMsMax,
    @Nullable Double failoverMs,
    @Nullable Double recoveryMs,
    double loopGapMsMax,
    long retransmitted,
    List<Integer> lostPlanes,
    String result,
    @Nullable String reason) {
  /** This layout. */
  public static final int VERSION = 1;

  /**
   * Goodput by phase.
   *
   * @param healthy before the cut, or of the whole run without one
   * @param degraded with the plane dead
   * @param recovered after its return
   */
  public record Goodput(double healthy, @Nullable Double degraded, @Nullable Double recovered) {}

  /** Whether it passed. */
  public boolean passed() {
    return result.equals("PASS");
  }
}

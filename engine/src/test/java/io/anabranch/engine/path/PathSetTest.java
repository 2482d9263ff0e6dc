package io.anabranch.engine.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.engine.config.EvTable;
import org.junit.jupiter.api.Test;

/** Rotation and replacement of EVs on one plane. */
class PathSetTest {
  private final Planes planes = new Planes(2, 3);

  private PathSet paths(int evs, int active) {
    return paths(evs, active, true);
  }

  private PathSet paths(int evs, int active, boolean reactive) {
    int[] values = new int[2 * evs];
    int[] ports = new int[2 * evs];
    for (int i = 0; i < values.length; i++) {
      values[i] = 100 + i;
      ports[i] = i % 2;
    }
    return new PathSet(new EvTable(values, ports), planes, 1, active, 3, reactive, 1, 7, null);
  }

  /** Pair harness seed 350279: every other plane waited for one that could not send. */
  @Test
  void anOnlyEvInSkipIsExchangedForABackup() {
    PathSet paths = paths(2, 2);
    int only = paths.next(0, -1, 0);
    paths.skip(only, 0, 10);
    assertThat(paths.hasOther(0, only)).isTrue();
    int other = paths.next(0, only, 0);
    assertThat(other).isNotEqualTo(only).isNotNegative();
    assertThat(other % 2).as("of the same plane").isZero();
    assertThat(paths.activeCount(0)).isEqualTo(1);
    assertThat(paths.next(0, -1, 0)).isEqualTo(other);
  }

  @Test
  void anOnlyEvWithoutBackupCannotBeAvoided() {
    PathSet paths = paths(1, 2);
    int only = paths.next(0, -1, 0);
    assertThat(paths.next(0, only, 0)).isNegative();
    assertThat(paths.hasOther(0, only)).isFalse();
    assertThat(paths.next(0, -1, 0)).isEqualTo(only);
  }

  @Test
  void aSkippedEvIsPassedOverOnce() {
    PathSet paths = paths(2, 4);
    int first = paths.next(0, -1, 0);
    int second = paths.next(0, -1, 0);
    assertThat(second).isNotEqualTo(first);
    paths.skip(first, 0, 10);
    assertThat(paths.next(0, -1, 0)).isEqualTo(second);
  }

  /** Scenario a11: of two EVs a pass takes two packets, and marks come an RTT later. */
  @Test
  void aSkippedEvStaysSoForAnRttFromItsLastMark() {
    PathSet paths = paths(2, 4);
    int first = paths.next(0, -1, 0);
    int second = paths.next(0, -1, 0);
    paths.skip(first, 0, 10);
    paths.skip(first, 5, 10);
    for (int now = 5; now < 15; now++) {
      assertThat(paths.next(0, -1, now)).as("at " + now).isEqualTo(second);
    }
    boolean back = false;
    for (int i = 0; i < 4; i++) {
      back |= paths.next(0, -1, 15) == first;
    }
    assertThat(back).isTrue();
    assertThat(paths.state(first)).isEqualTo(EvState.GOOD);
  }

  /** Pair harness seed 559, family TRIM. */
  @Test
  void anEvToBeAvoidedIsAvoidedThoughTheOthersAreInSkip() {
    PathSet paths = paths(3, 6);
    paths.skip(2, 0, 1000);
    paths.skip(4, 1, 1000);
    assertThat(paths.next(0, 0, 2)).isEqualTo(2);
    assertThat(paths.state(2)).isEqualTo(EvState.GOOD);
    assertThat(paths.state(4)).isEqualTo(EvState.SKIP);
  }

  @Test
  void obliviousSprayingSkipsNothingButStillLeavesBadPaths() {
    PathSet paths = paths(3, 4, false);
    int first = paths.next(0, -1, 0);
    paths.skip(first, 0, 10);
    assertThat(paths.state(first)).isEqualTo(EvState.GOOD);
    int used = 0;
    for (int i = 0; i < 8; i++) {
      used += paths.next(0, -1, 0) == first ? 1 : 0;
    }
    assertThat(used).as("its share of two").isBetween(3, 5);
    paths.demote(first, 0, 10);
    assertThat(paths.state(first)).isEqualTo(EvState.ASSUMED_BAD);
  }

  @Test
  void whenAllAreInSkipTheOneSkippedLongestIsUsed() {
    PathSet paths = paths(2, 4);
    paths.skip(2, 0, 10);
    paths.skip(0, 0, 10);
    assertThat(paths.next(0, -1, 0)).isEqualTo(2);
  }

  @Test
  void aDemotedEvIsReplacedByABackupOfItsPlane() {
    PathSet paths = paths(3, 4);
    paths.demote(0, 0, 10);
    assertThat(paths.state(0)).isEqualTo(EvState.ASSUMED_BAD);
    assertThat(paths.activeCount(0)).isEqualTo(2);
    for (int i = 0; i < 8; i++) {
      assertThat(paths.next(0, -1, 0)).isIn(2, 4);
    }
  }
}

package io.anabranch.net.fault;

/**
 * One fault: what, to which packets, and when.
 *
 * @param kind what
 * @param plane plane, from 1; 0 = all
 * @param ev which EV of a plane, from 1 in the order in which they first appear there, each
 *     direction on its own; 0 = all
 * @param direction which way
 * @param probability of hitting a packet (LOSS, REORDER, DUPLICATE, CORRUPT, MARK, TRIM) or of
 *     beginning at one (BURST), 0 … 1
 * @param count packets lost in a row (BURST), or packets that pass before (REORDER); else 0
 * @param delayNs time held (DELAY); else 0
 * @param jitterNs time held on top at most, evenly spread (DELAY); else 0
 * @param fromNs beginning, in time since the first data packet; −1 = always, even before it
 * @param toNs end, likewise; {@link Long#MAX_VALUE} = none
 */
public record FaultRule(
    FaultKind kind,
    int plane,
    int ev,
    Direction direction,
    double probability,
    int count,
    long delayNs,
    long jitterNs,
    long fromNs,
    long toNs) {

  /** Whether it applies {@code sinceNs} after the first data packet; −1 = there was none. */
  boolean active(long sinceNs) {
    return fromNs < 0 || sinceNs >= fromNs && sinceNs < toNs;
  }

  /** In the grammar of {@link FaultSpec}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    if (plane > 0) {
      text.append("plane=").append(plane).append(':');
    }
    if (ev > 0) {
      text.append("ev=").append(ev).append(':');
    }
    if (direction != Direction.BOTH) {
      text.append(direction == Direction.TX ? "dir=tx:" : "dir=rx:");
    }
    text.append(kind.word());
    switch (kind) {
      case BLACKHOLE -> {}
      case DELAY -> {
        text.append('=').append(time(delayNs));
        if (jitterNs > 0) {
          text.append('~').append(time(jitterNs));
        }
      }
      default -> text.append('=').append(percent());
    }
    if (count > 0) {
      text.append('x').append(count);
    }
    if (fromNs >= 0) {
      text.append('@').append(time(fromNs));
      if (toNs != Long.MAX_VALUE) {
        text.append('-').append(time(toNs));
      }
    }
    return text.toString();
  }

  private String percent() {
    return new java.math.BigDecimal(Double.toString(probability))
            .movePointRight(2)
            .stripTrailingZeros()
            .toPlainString()
        + "%";
  }

  private static String time(long ns) {
    if (ns % 1_000_000_000 == 0) {
      return ns / 1_000_000_000 + "s";
    }
    if (ns % 1_000_000 == 0) {
      return ns / 1_000_000 + "ms";
    }
    return ns % 1_000 == 0 ? ns / 1_000 + "us" : ns + "ns";
  }
}

package io.anabranch.fabric.topology;

import io.anabranch.fabric.event.Streams;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;

/**
 * The choice that a switch makes by hash: member {@code (h · n) >> 32} of n, h the upper 32 bits of
 * SplitMix64's finaliser over the packet's hash and the switch's salt; the salt is that finaliser
 * over a number drawn from the seed and the switch's place. The finaliser is not linear, so the
 * choices of two switches are independent (no polarisation).
 */
final class Ecmp {
  private final long salt;

  Ecmp(long seed) {
    salt = Streams.of(seed, "ecmp").nextLong();
  }

  /**
   * A choice.
   *
   * @param place of the switch among those that choose
   * @param n how many there are to choose from
   */
  int choose(int place, int hash, int n) {
    long own = Streams.mix(salt + place);
    long h = Streams.mix(own ^ hash & 0xffff_ffffL) >>> 32;
    return (int) (h * n >>> 32);
  }

  /**
   * A choice anew among the members that are up, or {@link Topology#NO_ROUTE}: what the others
   * carry stays.
   *
   * @param first link of the group
   * @param step from one to the next
   */
  int among(int place, int hash, int first, int step, int n, IntPredicate up) {
    return among(place, hash, i -> first + i * step, n, up);
  }

  /**
   * A choice anew among the links of a list from {@code start} to before {@code end} that are up.
   */
  int among(int place, int hash, int[] links, int start, int end, IntPredicate up) {
    return among(place, hash, i -> links[start + i], end - start, up);
  }

  private int among(int place, int hash, IntUnaryOperator linkOf, int n, IntPredicate up) {
    int left = 0;
    for (int i = 0; i < n; i++) {
      left += up.test(linkOf.applyAsInt(i)) ? 1 : 0;
    }
    // Another hash than the first choice's, of which only some values come here.
    int chosen = left == 0 ? n : choose(place, (int) Streams.mix(hash), left);
    for (int i = 0; i < n; i++) {
      int link = linkOf.applyAsInt(i);
      if (up.test(link) && chosen-- == 0) {
        return link;
      }
    }
    return Topology.NO_ROUTE;
  }
}

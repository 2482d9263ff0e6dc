package io.anabranch.fabric.workload;

import java.util.List;
import java.util.SplittableRandom;

/** How long flows are: a distribution in bytes, rounded to whole ones, at least 1. */
public sealed interface FlowSizes {
  /** Draws one. */
  long next(SplittableRandom random);

  /** The mean, before rounding. */
  double meanBytes();

  /** The largest that is drawn: what a simulated flow may have. */
  long MOST_BYTES = 1L << 38;

  private static long whole(double bytes) {
    return Math.clamp(Math.round(bytes), 1, MOST_BYTES);
  }

  /**
   * All alike.
   *
   * @param bytes of each, 1 … 2^38
   */
  record Fixed(long bytes) implements FlowSizes {
    /** Checks the range. */
    public Fixed {
      check("bytes", (double) bytes);
    }

    @Override
    public long next(SplittableRandom random) {
      return bytes;
    }

    @Override
    public double meanBytes() {
      return bytes;
    }
  }

  /**
   * Every whole number of bytes between two is as likely.
   *
   * @param min least, 1 … 2^38
   * @param max largest, min … 2^38
   */
  record Uniform(long min, long max) implements FlowSizes {
    /** Checks ranges. */
    public Uniform {
      check("min", (double) min);
      check("max", (double) max);
      if (max < min) {
        throw new IllegalArgumentException("max: " + max + ", allowed at least min, " + min);
      }
    }

    @Override
    public long next(SplittableRandom random) {
      return random.nextLong(min, max + 1);
    }

    @Override
    public double meanBytes() {
      return (min + (double) max) / 2;
    }
  }

  /**
   * Exponential: by the inverse of its distribution function, −mean · ln(1 − u).
   *
   * @param meanBytes 1 … 2^38
   */
  record Exponential(double meanBytes) implements FlowSizes {
    /** Checks the range. */
    public Exponential {
      check("meanBytes", meanBytes);
    }

    @Override
    public long next(SplittableRandom random) {
      return whole(-meanBytes * StrictMath.log(1 - random.nextDouble()));
    }
  }

  /**
   * The logarithm is normal: e^(μ + σ z), z by Box and Muller's transform, μ = ln mean − σ² / 2.
   *
   * @param meanBytes of the sizes, 1 … 2^38
   * @param sigma standard deviation of their natural logarithm, 0 … 5
   */
  record LogNormal(double meanBytes, double sigma) implements FlowSizes {
    /** Checks ranges. */
    public LogNormal {
      check("meanBytes", meanBytes);
      if (!(sigma >= 0 && sigma <= 5)) {
        throw new IllegalArgumentException("sigma: " + sigma + ", allowed 0…5");
      }
    }

    @Override
    public long next(SplittableRandom random) {
      double radius = StrictMath.sqrt(-2 * StrictMath.log(1 - random.nextDouble()));
      double z = radius * StrictMath.cos(2 * StrictMath.PI * random.nextDouble());
      return whole(meanBytes * StrictMath.exp(sigma * z - sigma * sigma / 2));
    }
  }

  /**
   * A point of a distribution function.
   *
   * @param bytes a size, 0 … 2^38
   * @param share of flows that are not longer, 0 … 1
   */
  record Point(long bytes, double share) {}

  /**
   * Given by points of its distribution function, which is a straight line between two of them. A
   * share above 0 at the first point is of flows of just that size, as is a rise between two points
   * of one size.
   *
   * @param points both numbers never fall; the last share is 1
   */
  record Empirical(List<Point> points) implements FlowSizes {
    /** Copies the points and checks them. */
    public Empirical {
      points = List.copyOf(points);
      Point before = new Point(0, 0);
      for (Point point : points) {
        if (!(point.bytes >= before.bytes && point.bytes <= MOST_BYTES)) {
          throw new IllegalArgumentException(
              "bytes: " + point.bytes + ", allowed " + before.bytes + "…" + MOST_BYTES);
        }
        if (!(point.share >= before.share && point.share <= 1)) {
          throw new IllegalArgumentException(
              "share: " + point.share + ", allowed " + before.share + "…1");
        }
        before = point;
      }
      if (before.share != 1 || before.bytes < 1) {
        throw new IllegalArgumentException(
            "the last point: " + before.share + " of flows, allowed a size and 1, all of them");
      }
    }

    @Override
    public long next(SplittableRandom random) {
      double u = random.nextDouble();
      int low = 0;
      int high = points.size() - 1;
      while (low < high) {
        int middle = low + high >>> 1;
        if (u < points.get(middle).share) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      Point to = points.get(low);
      if (low == 0) {
        return whole((double) to.bytes);
      }
      Point from = points.get(low - 1);
      double part = (u - from.share) / (to.share - from.share);
      return whole(from.bytes + part * (double) (to.bytes - from.bytes));
    }

    @Override
    public double meanBytes() {
      double sum = points.getFirst().share * points.getFirst().bytes;
      for (int i = 1; i < points.size(); i++) {
        Point from = points.get(i - 1);
        Point to = points.get(i);
        sum += (to.share - from.share) * (from.bytes + (double) to.bytes) / 2;
      }
      return Math.max(1, sum);
    }
  }

  private static void check(String field, double value) {
    if (!(value >= 1 && value <= MOST_BYTES)) {
      throw new IllegalArgumentException(field + ": " + value + ", allowed 1…" + MOST_BYTES);
    }
  }
}

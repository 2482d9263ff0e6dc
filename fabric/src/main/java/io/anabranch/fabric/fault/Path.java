package io.anabranch.fabric.fault;

import java.util.Comparator;

/** A way from a sender: an EV of one of its queue pairs. */
record Path(int host, int qp, int ev) implements Comparable<Path> {
  private static final Comparator<Path> ORDER =
      Comparator.comparingInt(Path::host).thenComparingInt(Path::qp).thenComparingInt(Path::ev);

  @Override
  public int compareTo(Path other) {
    return ORDER.compare(this, other);
  }
}

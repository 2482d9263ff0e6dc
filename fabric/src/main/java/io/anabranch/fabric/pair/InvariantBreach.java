package io.anabranch.fabric.pair;

/** A broken invariant: which, by what seed, when, and the last frames before it. */
public final class InvariantBreach extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Invariant invariant;
  private final long seed;
  private final long atNs;

  InvariantBreach(
      Invariant invariant, long seed, String family, long atNs, String what, String dump) {
    super(
        invariant
            + " ("
            + invariant.rule()
            + ")\n  seed "
            + seed
            + ", family "
            + family
            + ", at "
            + atNs
            + " ns: "
            + what
            + (dump.isEmpty() ? "" : "\n" + dump));
    this.invariant = invariant;
    this.seed = seed;
    this.atNs = atNs;
  }

  /** The broken rule. */
  public Invariant invariant() {
    return invariant;
  }

  /** The scenario's seed. */
  public long seed() {
    return seed;
  }

  /** Virtual time of the breach. */
  public long atNs() {
    return atNs;
  }
}

package io.anabranch.net.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Faults as users ask for them, everywhere in one grammar:
 *
 * <pre>
 * spec     = rule { "," rule }
 * rule     = { selector ":" } fault [ "@" from [ "-" to ] ]
 * selector = "plane=" N        planes count from 1
 *          | "ev=" N           the N-th EV seen on a plane, from 1
 *          | "dir=" ("tx" | "rx")   packets sent or received; without it both
 * fault    = "loss=" P         lose a packet with probability P
 *          | "burst=" P "x" N  begin with probability P to lose N in a row
 *          | "delay=" T ["~" J]     hold for T, and up to J longer
 *          | "reorder=" P ["x" N]   hold until N others have passed (3), 10 ms at most
 *          | "duplicate=" P    let pass twice
 *          | "corrupt=" P      flip one bit
 *          | "mark=" P         set the ECN mark
 *          | "trim=" P         cut data after its headers
 *          | "blackhole"       lose everything
 * P        = a number and "%": 0% … 100%
 * T, J, from, to = a number and "ns", "us", "ms" or "s"
 * </pre>
 *
 * <p>{@code from} and {@code to} count from the first data packet that the endpoint sends or
 * receives; without them a rule always applies. Rules work in the order written, each on what the
 * ones before it left. {@code drop} means {@code loss}, {@code dup} means {@code duplicate}.
 *
 * @param rules the rules, at most {@value #MAX_RULES}
 */
public record FaultSpec(List<FaultRule> rules) {
  /** Most rules. */
  public static final int MAX_RULES = 64;

  /** No faults. */
  public static final FaultSpec NONE = new FaultSpec(List.of());

  /** Copies the rules. */
  public FaultSpec {
    rules = List.copyOf(rules);
    if (rules.size() > MAX_RULES) {
      throw new IllegalArgumentException(
          "fault rules: " + rules.size() + ", allowed 0…" + MAX_RULES);
    }
  }

  /**
   * Reads a specification.
   *
   * @throws FaultSyntaxException when it does not follow the grammar
   */
  public static FaultSpec parse(String text) {
    return new FaultSpec(new FaultParser(text).rules());
  }

  /** Reads several, as an option that may be repeated gives them. */
  public static FaultSpec parse(List<String> texts) {
    List<FaultRule> all = new ArrayList<>();
    for (String text : texts) {
      all.addAll(new FaultParser(text).rules());
    }
    return new FaultSpec(all);
  }

  /** Whether there is nothing in it. */
  public boolean isEmpty() {
    return rules.isEmpty();
  }

  /**
   * Checks it against an endpoint.
   *
   * @throws IllegalArgumentException when a rule names a plane that the endpoint does not have
   */
  public void check(int planes) {
    for (FaultRule rule : rules) {
      if (rule.plane() > planes) {
        throw new IllegalArgumentException(
            "fault '" + rule + "': plane " + rule.plane() + ", allowed 1…" + planes);
      }
    }
  }

  /** In the grammar above. */
  @Override
  public String toString() {
    return rules.stream().map(FaultRule::toString).collect(Collectors.joining(","));
  }
}

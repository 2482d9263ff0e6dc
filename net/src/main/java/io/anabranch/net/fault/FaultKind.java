package io.anabranch.net.fault;

/** What can be done to a packet. */
public enum FaultKind {
  /** Loses packets, each on its own. */
  LOSS("loss"),
  /** Loses several packets in a row. */
  BURST("burst"),
  /** Holds packets for a time. */
  DELAY("delay"),
  /** Holds packets until later ones have passed. */
  REORDER("reorder"),
  /** Lets packets pass twice. */
  DUPLICATE("duplicate"),
  /** Flips one bit. */
  CORRUPT("corrupt"),
  /** Sets the ECN mark of packets that allow it. */
  MARK("mark"),
  /** Cuts data packets after their headers, as a switch with a full queue does. */
  TRIM("trim"),
  /** Loses every packet. */
  BLACKHOLE("blackhole");

  private final String word;

  FaultKind(String word) {
    this.word = word;
  }

  /** The word that the grammar has for it. */
  public String word() {
    return word;
  }
}

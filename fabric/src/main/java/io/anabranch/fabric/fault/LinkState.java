package io.anabranch.fabric.fault;

import io.anabranch.fabric.link.Ports;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** What is wrong with one link, in one direction, now. */
final class LinkState {
  /** Something that takes packets by chance. */
  static final class Taker {
    final Occurrence by;
    boolean bad;

    Taker(Occurrence by) {
      this.by = by;
    }
  }

  /** Occurrences because of which it is down. */
  final List<Occurrence> down = new ArrayList<>();

  /** The last of them: to it packets are put down that were under way. */
  @Nullable Occurrence lastDown;

  /** How many of them the port that feeds it knows of, and routing elsewhere. */
  int noticed;

  int converged;

  /** Occurrences because of which the switch at its end forwards nothing. */
  final List<Occurrence> silent = new ArrayList<>();

  final List<Taker> takers = new ArrayList<>();

  /** The chance by which they do. */
  final SplittableRandom chance;

  /** Occurrences that make it slower or longer, and what it was before the first. */
  final List<Occurrence> changes = new ArrayList<>();

  Ports.@Nullable Kind plain;

  /** The link at whose end it ends instead, or −1. */
  int endsAs = -1;

  @Nullable Occurrence swappedBy;

  LinkState(SplittableRandom chance) {
    this.chance = chance;
  }
}

package io.anabranch.fabric;

/** Counters of each link and of the port that feeds it, one direction a link. */
public interface LinkTable {
  /** How many links. */
  int count();

  /** How many of them were used so far; counters of the others are 0. */
  int usedCount();

  /** A link that was used, {@code place} counted from 0: a place stays the same link's. */
  int used(int place);

  /** Its name: where it begins and where it ends, such as {@code p1.t0.3>p1.t1.0}. */
  String name(int link);

  /** The plane it belongs to, counted from 0. */
  int plane(int link);

  /** Its rate. */
  long rateBitsPerSecond(int link);

  /** The host at which it begins, or −1. */
  int hostFrom(int link);

  /** The host at which it ends, or −1. */
  int hostAt(int link);

  /** Data bytes that may wait for it; 0 where nothing may, at a host. */
  long queueLimitBytes(int link);

  /** Packets put on it. */
  long packets(int link);

  /** Bytes put on it. */
  long bytes(int link);

  /** Data bytes that wait for it now. */
  long queuedBytes(int link);

  /** The most data bytes that ever waited. */
  long peakQueuedBytes(int link);

  /** Packets trimmed at its port. */
  long trimmed(int link);

  /** Packets marked at its port. */
  long marked(int link);

  /** Packets dropped at its port or on it. */
  long dropped(int link);
}

package io.anabranch.fabric.link;

/** Is told what ports do with packets, to check it from outside. */
public interface PortWatch {
  /** A packet was put at the end of a queue, in which {@code queuedBytes} now wait. */
  void queued(int link, int packet, boolean control, long queuedBytes);

  /** A packet was taken out of its queue again, to be trimmed or dropped. */
  void unqueued(int link, int packet);

  /** A packet's first bit leaves; its last one at {@code endPs}. */
  void started(int link, int packet, boolean waited, long nowPs, long endPs);

  /** A packet is handed to the host at the end of a link. */
  void delivered(int link, int packet);

  /** A packet was dropped. */
  void dropped(int packet, DropCause cause);

  /** A link goes down or comes up, one direction. */
  default void linkState(int link, boolean up, long nowPs) {}

  /** A packet has come through a link, where faults are about. */
  default void passed(int link, int packet) {}
}

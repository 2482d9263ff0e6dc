package io.anabranch.tools.cli.decode;

/** A way to show packets. */
public interface PacketFormat {
  /** Appends what {@code packet} is shown as, line ends included. */
  void append(Packet packet, Line line);
}

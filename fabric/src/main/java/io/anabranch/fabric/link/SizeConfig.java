package io.anabranch.fabric.link;

import io.anabranch.engine.config.Check;

/**
 * What packets take on a link and in a queue, whatever their encoding.
 *
 * @param dataOverheadBytes beyond a data packet's payload: headers, framing, 1 … 4096
 * @param controlBytes a SACK, NACK, transport ACK, probe or endpoint operation, 1 … 4096
 * @param trimmedBytes a trimmed data packet, 1 … 4096
 */
public record SizeConfig(int dataOverheadBytes, int controlBytes, int trimmedBytes) {
  /** Checks ranges. */
  public SizeConfig {
    Check.range("dataOverheadBytes", dataOverheadBytes, 1, 4096);
    Check.range("controlBytes", controlBytes, 1, 4096);
    Check.range("trimmedBytes", trimmedBytes, 1, 4096);
  }

  /** A data packet with a given payload. */
  public int dataBytes(int payloadBytes) {
    return payloadBytes + dataOverheadBytes;
  }
}

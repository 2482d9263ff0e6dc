package io.anabranch.fabric.link;

import io.anabranch.engine.config.Check;

/**
 * What packets take on a link and in a queue, whatever their encoding.
 *
 * @param dataOverheadBytes beyond a data packet's payload: headers, framing, 1 … 8192
 * @param controlBytes a SACK, NACK, transport ACK, probe or endpoint operation, 1 … 8192
 * @param trimmedBytes a trimmed data packet, 1 … 8192
 */
public record SizeConfig(int dataOverheadBytes, int controlBytes, int trimmedBytes) {
  /** Checks ranges. */
  public SizeConfig {
    Check.range("dataOverheadBytes", dataOverheadBytes, 1, 8192);
    Check.range("controlBytes", controlBytes, 1, 8192);
    Check.range("trimmedBytes", trimmedBytes, 1, 8192);
  }

  /** A data packet with a given payload. */
  public int dataBytes(int payloadBytes) {
    return payloadBytes + dataOverheadBytes;
  }
}

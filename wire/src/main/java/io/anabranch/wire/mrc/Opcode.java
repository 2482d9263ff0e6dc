package io.anabranch.wire.mrc;

import io.anabranch.wire.ib.Aeth;
import io.anabranch.wire.ib.Header;
import io.anabranch.wire.ib.ImmDt;
import io.anabranch.wire.ib.Reth;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** BTH opcodes that MRC 1.0 uses; {@code int} constants, since a frame holds the byte. */
public final class Opcode {
  public static final int WRITE_FIRST = 0xC6;
  public static final int WRITE_MIDDLE = 0xC7;
  public static final int WRITE_LAST = 0xC8;
  public static final int WRITE_LAST_IMM = 0xC9;
  public static final int WRITE_ONLY = 0xCA;
  public static final int WRITE_ONLY_IMM = 0xCB;
  public static final int TRANSPORT_ACK = 0xD1;
  public static final int ENDPOINT_REQUEST = 0xD8;
  public static final int ENDPOINT_RESPONSE = 0xD9;
  public static final int SACK = 0xDC;
  public static final int NACK = 0xDD;
  public static final int PROBE = 0xDE;

  private Opcode() {}

  /** RDMA WRITE in any of its six forms. */
  public static boolean isWrite(int opcode) {
    return opcode >= WRITE_FIRST && opcode <= WRITE_ONLY_IMM;
  }

  /** The packet that begins a message: First or Only. */
  public static boolean isStart(int opcode) {
    return opcode == WRITE_FIRST || opcode == WRITE_ONLY || opcode == WRITE_ONLY_IMM;
  }

  /** The packet that ends a message: Last or Only, with or without immediate. */
  public static boolean isEnd(int opcode) {
    return opcode >= WRITE_LAST && opcode <= WRITE_ONLY_IMM;
  }

  /** A packet that carries ImmDt. */
  public static boolean hasImmediate(int opcode) {
    return opcode == WRITE_LAST_IMM || opcode == WRITE_ONLY_IMM;
  }

  /** One of the opcodes that MRC defines. */
  public static boolean isMrc(int opcode) {
    return isWrite(opcode)
        || opcode == TRANSPORT_ACK
        || opcode == ENDPOINT_REQUEST
        || opcode == ENDPOINT_RESPONSE
        || opcode == SACK
        || opcode == NACK
        || opcode == PROBE;
  }

  /**
   * Bytes of the headers after BTH (12 bytes, not counted), or −1 for an opcode that is not MRC's.
   *
   * @param timestamped whether BTH.TS announces a TSETH; only writes have one
   */
  public static int extensionBytes(int opcode, boolean timestamped) {
    return switch (opcode) {
      case WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_ONLY -> timestamped ? 24 : 20;
      case WRITE_LAST_IMM, WRITE_ONLY_IMM -> timestamped ? 28 : 24;
      case TRANSPORT_ACK -> 4;
      case ENDPOINT_REQUEST -> 16;
      case ENDPOINT_RESPONSE -> 36;
      case SACK -> 36;
      case NACK -> 20;
      case PROBE -> 16;
      default -> -1;
    };
  }

  /** Name of an opcode, or null when it is not MRC's. */
  public static @Nullable String name(int opcode) {
    return switch (opcode) {
      case WRITE_FIRST -> "WRITE_FIRST";
      case WRITE_MIDDLE -> "WRITE_MIDDLE";
      case WRITE_LAST -> "WRITE_LAST";
      case WRITE_LAST_IMM -> "WRITE_LAST_IMM";
      case WRITE_ONLY -> "WRITE_ONLY";
      case WRITE_ONLY_IMM -> "WRITE_ONLY_IMM";
      case TRANSPORT_ACK -> "TRANSPORT_ACK";
      case ENDPOINT_REQUEST -> "ENDPOINT_REQUEST";
      case ENDPOINT_RESPONSE -> "ENDPOINT_RESPONSE";
      case SACK -> "SACK";
      case NACK -> "NACK";
      case PROBE -> "PROBE";
      default -> null;
    };
  }

  /**
   * The headers after BTH in order, or null for an opcode that is not MRC's.
   *
   * @param timestamped whether BTH.TS announces a TSETH; only writes have one
   */
  public static @Nullable List<Header> headers(int opcode, boolean timestamped) {
    return switch (opcode) {
      case WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_ONLY ->
          timestamped
              ? List.of(Meth.HEADER, Tseth.HEADER, Reth.HEADER)
              : List.of(Meth.HEADER, Reth.HEADER);
      case WRITE_LAST_IMM, WRITE_ONLY_IMM ->
          timestamped
              ? List.of(Meth.HEADER, Tseth.HEADER, Reth.HEADER, ImmDt.HEADER)
              : List.of(Meth.HEADER, Reth.HEADER, ImmDt.HEADER);
      case TRANSPORT_ACK -> List.of(Aeth.HEADER);
      case ENDPOINT_REQUEST -> List.of(Erth.HEADER);
      case ENDPOINT_RESPONSE -> List.of(Eeth.HEADER);
      case SACK -> List.of(Seth.HEADER, CcState.HEADER);
      case NACK -> List.of(Neth.HEADER);
      case PROBE -> List.of(Peth.HEADER);
      default -> null;
    };
  }
}

package io.anabranch.wire.mrc;

import io.anabranch.wire.ib.Bth;
import io.anabranch.wire.ib.Header;
import io.anabranch.wire.ib.RoceOpcode;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The transport headers of an MRC or RoCEv2 packet by name: the readable layer, for tools. Shows
 * what is there even of packets that {@link FrameCodec} refuses. Reusable.
 */
public final class TransportView {
  private static final int MAX_HEADERS = 5;

  private final int[] starts = new int[MAX_HEADERS];
  private List<Header> headers = List.of();
  private @Nullable String name;
  private boolean mrc;
  private int whole;
  private int opcode;
  private int payloadStart;

  /** A view over nothing; {@link #wrap} comes first. */
  public TransportView() {}

  /**
   * Looks at the headers from BTH on; what is not wholly before {@code limit} is not shown.
   *
   * @return {@link DecodeResult#OK}, {@link DecodeResult#TRUNCATED}, {@link
   *     DecodeResult#BAD_VERSION} or {@link DecodeResult#UNKNOWN_OPCODE}
   */
  public DecodeResult wrap(ByteBuffer in, int start, int limit) {
    headers = List.of();
    name = null;
    mrc = false;
    whole = 0;
    payloadStart = limit;
    if (limit - start < Bth.BYTES) {
      return DecodeResult.TRUNCATED;
    }
    opcode = Bth.OPCODE.readInt(in, start);
    mrc = Opcode.isMrc(opcode);
    name = Opcode.name(opcode);
    List<Header> after = Opcode.headers(opcode, Bth.TS.read(in, start) != 0);
    if (after == null) {
      RoceOpcode roce = RoceOpcode.of(opcode);
      name = roce == null ? null : roce.name();
      after = roce == null ? null : roce.headers();
    }
    if (Bth.VERSION.read(in, start) != 0) {
      return DecodeResult.BAD_VERSION;
    }
    if (after == null) {
      return DecodeResult.UNKNOWN_OPCODE;
    }
    headers = after;
    int at = start + Bth.BYTES;
    for (Header h : after) {
      if (at + h.bytes() > limit) {
        return DecodeResult.TRUNCATED;
      }
      starts[whole++] = at;
      at += h.bytes();
    }
    payloadStart = at;
    return DecodeResult.OK;
  }

  /** BTH opcode. */
  public int opcode() {
    return opcode;
  }

  /** Whether the opcode is one of MRC's. */
  public boolean isMrc() {
    return mrc;
  }

  /** Name of the opcode; null when it is neither MRC's nor RoCEv2's. */
  public @Nullable String name() {
    return name;
  }

  /** Headers after BTH that are wholly there. */
  public int count() {
    return whole;
  }

  /** Header {@code i} after BTH. */
  public Header header(int i) {
    return headers.get(i);
  }

  /** Where header {@code i} after BTH begins. */
  public int start(int i) {
    return starts[i];
  }

  /** Where the payload begins; the limit when the headers are not whole. */
  public int payloadStart() {
    return payloadStart;
  }
}

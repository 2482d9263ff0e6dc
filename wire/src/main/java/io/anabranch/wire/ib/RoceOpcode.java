package io.anabranch.wire.ib;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * RoCEv2's opcodes (InfiniBand volume 1, table 38; annex A17.9 for the CNP), for decoding: users'
 * captures hold them beside MRC's.
 *
 * @param name transport and operation
 * @param headers the headers after BTH
 */
public record RoceOpcode(String name, List<Header> headers) {
  /** Congestion notification packet. */
  public static final int CNP = 0x81;

  private static final int UC_FIRST = 0x20;
  private static final int UD_SEND_ONLY = 0x64;
  private static final int UD_SEND_ONLY_IMM = 0x65;

  /** 16 reserved bytes. */
  private static final Header CNP_HEADER = Header.of("CNP", 16);

  private static final List<RoceOpcode> RC =
      List.of(
          of("RC_SEND_FIRST"),
          of("RC_SEND_MIDDLE"),
          of("RC_SEND_LAST"),
          of("RC_SEND_LAST_IMM", ImmDt.HEADER),
          of("RC_SEND_ONLY"),
          of("RC_SEND_ONLY_IMM", ImmDt.HEADER),
          of("RC_WRITE_FIRST", Reth.HEADER),
          of("RC_WRITE_MIDDLE"),
          of("RC_WRITE_LAST"),
          of("RC_WRITE_LAST_IMM", ImmDt.HEADER),
          of("RC_WRITE_ONLY", Reth.HEADER),
          of("RC_WRITE_ONLY_IMM", Reth.HEADER, ImmDt.HEADER),
          of("RC_READ_REQUEST", Reth.HEADER),
          of("RC_READ_RESPONSE_FIRST", Aeth.HEADER),
          of("RC_READ_RESPONSE_MIDDLE"),
          of("RC_READ_RESPONSE_LAST", Aeth.HEADER),
          of("RC_READ_RESPONSE_ONLY", Aeth.HEADER),
          of("RC_ACKNOWLEDGE", Aeth.HEADER),
          of("RC_ATOMIC_ACKNOWLEDGE", Aeth.HEADER, AtomicAckEth.HEADER),
          of("RC_COMPARE_SWAP", AtomicEth.HEADER),
          of("RC_FETCH_ADD", AtomicEth.HEADER),
          of("RC_RESERVED"),
          of("RC_SEND_LAST_INVALIDATE", Ieth.HEADER),
          of("RC_SEND_ONLY_INVALIDATE", Ieth.HEADER));

  private static final int RESERVED = 0x15;

  /** SEND and WRITE, as in RC. */
  private static final List<RoceOpcode> UC =
      RC.subList(0, 12).stream()
          .map(rc -> new RoceOpcode("UC" + rc.name.substring(2), rc.headers))
          .toList();

  private static final RoceOpcode UD_SEND = of("UD_SEND_ONLY", Deth.HEADER);
  private static final RoceOpcode UD_SEND_IMM = of("UD_SEND_ONLY_IMM", Deth.HEADER, ImmDt.HEADER);
  private static final RoceOpcode NOTIFICATION = of("CNP", CNP_HEADER);

  private static RoceOpcode of(String name, Header... headers) {
    return new RoceOpcode(name, List.of(headers));
  }

  /** Copies the list. */
  public RoceOpcode {
    headers = List.copyOf(headers);
  }

  /** The opcode {@code code}, or null when it is not one of RC, UC, UD or CNP. */
  public static @Nullable RoceOpcode of(int code) {
    if (code >= 0 && code < RC.size() && code != RESERVED) {
      return RC.get(code);
    }
    if (code >= UC_FIRST && code < UC_FIRST + UC.size()) {
      return UC.get(code - UC_FIRST);
    }
    return switch (code) {
      case UD_SEND_ONLY -> UD_SEND;
      case UD_SEND_ONLY_IMM -> UD_SEND_IMM;
      case CNP -> NOTIFICATION;
      default -> null;
    };
  }
}

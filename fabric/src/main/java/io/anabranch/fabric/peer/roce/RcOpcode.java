package io.anabranch.fabric.peer.roce;

/** BTH opcodes and AETH syndromes of RC, as far as WRITEs need them (InfiniBand volume 1). */
final class RcOpcode {
  static final int WRITE_FIRST = 0x06;
  static final int WRITE_MIDDLE = 0x07;
  static final int WRITE_LAST = 0x08;
  static final int WRITE_LAST_IMM = 0x09;
  static final int WRITE_ONLY = 0x0A;
  static final int WRITE_ONLY_IMM = 0x0B;
  static final int ACKNOWLEDGE = 0x11;
  static final int CNP = io.anabranch.wire.ib.RoceOpcode.CNP;

  /** AETH syndrome: NAK, PSN sequence error. */
  static final int NAK_SEQUENCE_ERROR = 0x60;

  private RcOpcode() {}

  /** The WRITE of a packet by its place in the message. */
  static int write(boolean first, boolean last, boolean immediate) {
    if (last) {
      return first
          ? immediate ? WRITE_ONLY_IMM : WRITE_ONLY
          : immediate ? WRITE_LAST_IMM : WRITE_LAST;
    }
    return first ? WRITE_FIRST : WRITE_MIDDLE;
  }

  static boolean isWrite(int opcode) {
    return opcode >= WRITE_FIRST && opcode <= WRITE_ONLY_IMM;
  }

  /** First or Only. */
  static boolean isStart(int opcode) {
    return opcode == WRITE_FIRST || opcode == WRITE_ONLY || opcode == WRITE_ONLY_IMM;
  }

  /** Last or Only. */
  static boolean isEnd(int opcode) {
    return opcode >= WRITE_LAST && opcode <= WRITE_ONLY_IMM;
  }
}

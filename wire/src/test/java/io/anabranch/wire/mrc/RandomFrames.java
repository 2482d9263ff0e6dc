package io.anabranch.wire.mrc;

import java.util.SplittableRandom;

/** Frames that the wire can carry, with every field of their headers at random. */
final class RandomFrames {
  static final int[] OPCODES = {
    0xC6, 0xC7, 0xC8, 0xC9, 0xCA, 0xCB, 0xD1, 0xD8, 0xD9, 0xDC, 0xDD, 0xDE
  };

  private static final int[] UNTRIMMED_DSCP = {0, 4, 8, 46, 63, 1};

  private RandomFrames() {}

  static Frame next(SplittableRandom r) {
    return next(r, OPCODES[r.nextInt(OPCODES.length)], r.nextInt(4) == 0);
  }

  static Frame next(SplittableRandom r, int opcode, boolean ip4) {
    Frame f = new Frame().opcode(opcode);
    f.dscp(UNTRIMMED_DSCP[r.nextInt(UNTRIMMED_DSCP.length)]).ecn(r.nextInt());
    if (ip4) {
      f.src(0, 0xffff_0000_0000L | r.nextInt() & 0xffff_ffffL);
      f.dst(0, 0xffff_0000_0000L | r.nextInt() & 0xffff_ffffL);
      f.ev(r.nextInt(0x10000));
    } else {
      f.src(r.nextLong() | 1L << 63, r.nextLong()).dst(r.nextLong() | 1L << 63, r.nextLong());
      f.ev(r.nextInt());
    }
    f.dstPort(r.nextInt()).pKey(r.nextInt()).destQp(r.nextInt()).psn(r.nextInt());
    f.ackRequest(r.nextBoolean()).rtx(r.nextBoolean()).timestamped(r.nextBoolean());
    f.solicited(r.nextBoolean()).migration(r.nextBoolean());
    if (Opcode.isWrite(opcode)) {
      f.rqMsn(r.nextInt()).msn(r.nextInt());
      f.virtualAddress(r.nextLong()).rKey(r.nextInt()).dmaLength(r.nextInt());
      if (Opcode.hasImmediate(opcode)) {
        f.immediate(r.nextInt());
      }
      if (f.timestamped()) {
        stamp(f, r);
      }
      f.payloadLength(r.nextInt(r.nextInt(8) == 0 ? 9001 : 70));
      f.padCount(-f.payloadLength() & 3);
    }
    switch (opcode) {
      case 0xD1 -> f.syndrome(r.nextInt()).completedMsn(r.nextInt());
      case 0xD8 -> stamp(f, r).op(r.nextInt()).vendorInfo(r.nextInt()).portStatusMask(r.nextInt());
      case 0xD9 -> f.op(r.nextInt()).timestamp(r.nextInt());
      case 0xDC -> sack(f, r);
      case 0xDD -> {
        f.reason(r.nextInt()).vendorInfo(r.nextInt()).nackPsn(r.nextInt()).timestamp(r.nextInt());
        reflect(f, r);
      }
      case 0xDE -> {
        stamp(f, r).vendorInfo(r.nextInt()).probeId(r.nextInt());
        f.spdcid(r.nextInt()).dpdcid(r.nextInt());
      }
      default -> {}
    }
    return f;
  }

  private static Frame stamp(Frame f, SplittableRandom r) {
    return f.timestamp(r.nextInt()).tsr(r.nextInt()).fType(r.nextInt());
  }

  private static void reflect(Frame f, SplittableRandom r) {
    f.entropy(r.nextInt()).spdcid(r.nextInt()).dpdcid(r.nextInt());
    f.ccType(r.nextInt()).ccFlags(r.nextInt());
  }

  private static void sack(Frame f, SplittableRandom r) {
    reflect(f, r);
    f.mark(r.nextInt(3)).probeResponse(r.nextInt()).ackPsnOffset(r.nextInt());
    f.cackPsn(r.nextInt()).mpr(r.nextInt()).sackOffset(r.nextInt()).sackBitmap(r.nextLong());
    f.timestamp(r.nextInt()).oooCount(r.nextInt()).restoreCwnd(r.nextInt());
    f.rcvCwndPenalty(r.nextInt()).rcvdBytes(r.nextInt());
  }
}

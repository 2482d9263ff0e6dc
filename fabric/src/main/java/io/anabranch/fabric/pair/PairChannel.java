package io.anabranch.fabric.pair;

import io.anabranch.fabric.event.Streams;
import io.anabranch.wire.mrc.DscpMap;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.Opcode;
import java.util.SplittableRandom;

/** One direction of the channel: decides what becomes of each frame, one stream a model. */
final class PairChannel {
  private static final int CE = 3;

  private final ChannelModel model;
  private final DscpMap dscp;
  private final long healNs;
  private final long evSalt;
  private final long evSkewNs;
  private final long[] planeDelayNs;
  private final SplittableRandom loss;
  private final SplittableRandom burst;
  private final SplittableRandom control;
  private final SplittableRandom reorder;
  private final SplittableRandom duplicate;
  private final SplittableRandom corrupt;
  private final SplittableRandom trim;
  private final SplittableRandom mark;
  private final SplittableRandom spike;
  private final long[] standsUntilNs;
  private boolean inBurst;

  /** Delay of the frame just judged. */
  long delayNs;

  /** Delay of its second arrival, or −1. */
  long secondDelayNs;

  PairChannel(PairScenario scenario, int fromSide, DscpMap dscp) {
    this.model = scenario.channelFrom(fromSide);
    this.dscp = dscp;
    this.healNs = scenario.healNs();
    String name = "channel" + fromSide;
    long seed = scenario.seed();
    this.evSalt = Streams.of(seed, name + "ev").nextLong();
    this.evSkewNs = scenario.link().evSkewNs();
    this.loss = Streams.of(seed, name + "loss");
    this.burst = Streams.of(seed, name + "burst");
    this.control = Streams.of(seed, name + "control");
    this.reorder = Streams.of(seed, name + "reorder");
    this.duplicate = Streams.of(seed, name + "duplicate");
    this.corrupt = Streams.of(seed, name + "corrupt");
    this.trim = Streams.of(seed, name + "trim");
    this.mark = Streams.of(seed, name + "mark");
    this.spike = Streams.of(seed, name + "spike");
    SplittableRandom skew = Streams.of(seed, name + "skew");
    int planes = scenario.shape().planes();
    this.planeDelayNs = new long[planes];
    this.standsUntilNs = new long[planes];
    for (int i = 0; i < planes; i++) {
      long most = scenario.link().planeSkewNs();
      planeDelayNs[i] = scenario.link().delayNs() + (most == 0 ? 0 : skew.nextLong(most + 1));
    }
  }

  /**
   * Judges a frame that leaves its port at {@code nowNs}: may change it, sets {@link #delayNs} and
   * {@link #secondDelayNs}.
   *
   * @return whether it arrives at all
   */
  boolean judge(Frame frame, int port, long nowNs) {
    int opcode = frame.opcode();
    boolean data = Opcode.isWrite(opcode);
    secondDelayNs = -1;
    delayNs = planeDelayNs[port];
    double evPlace = chanceOf(frame.ev(), port, 1);
    if (evSkewNs > 0) {
      delayNs += (long) (evSkewNs * chanceOf(frame.ev(), port, 2));
    }
    if (nowNs >= healNs) {
      return true;
    }
    if (lost(opcode, data, port, evPlace)) {
      return false;
    }
    change(frame, data, opcode, evPlace);
    late(port, nowNs);
    return true;
  }

  private boolean lost(int opcode, boolean data, int port, double evPlace) {
    if (model.burstEnter() > 0) {
      double exit = inBurst ? 1 - model.burstExit() : model.burstEnter();
      inBurst = burst.nextDouble() < exit;
      if (inBurst && burst.nextDouble() < model.burstLoss()) {
        return true;
      }
    }
    if (model.loss() > 0 && loss.nextDouble() < model.loss()) {
      return true;
    }
    if (evPlace < model.badEvShare() && loss.nextDouble() < model.badEvLoss()) {
      return true;
    }
    if (port == model.lossyPlane() && loss.nextDouble() < model.lossyPlaneLoss()) {
      return true;
    }
    boolean answer = !data && opcode != Opcode.PROBE && opcode != Opcode.ENDPOINT_REQUEST;
    return answer && model.controlLoss() > 0 && control.nextDouble() < model.controlLoss();
  }

  private void change(Frame frame, boolean data, int opcode, double evPlace) {
    boolean trimmable = data || opcode == Opcode.PROBE;
    if (model.mark() > 0 && frame.ecn() != 0 && 1 - evPlace <= model.markEvShare()) {
      if (mark.nextDouble() < model.mark()) {
        frame.ecn(CE);
      }
    }
    if (model.corrupt() > 0 && corrupt.nextDouble() < model.corrupt()) {
      garble(frame, corrupt);
    } else if (trimmable && model.trim() > 0 && trim.nextDouble() < model.trim()) {
      boolean last = trim.nextDouble() < model.trimLastHop();
      frame.trimmed(true).dscp(last ? dscp.trimmedLastHop() : dscp.trimmed());
      if (trim.nextDouble() < model.trimShort()) {
        cutShort(frame);
      }
    }
    if (model.duplicate() > 0 && duplicate.nextDouble() < model.duplicate()) {
      secondDelayNs = duplicate.nextLong(model.duplicateNs() + 1);
    }
  }

  private void late(int port, long nowNs) {
    if (model.reorder() > 0 && reorder.nextDouble() < model.reorder()) {
      delayNs += reorder.nextLong(model.reorderNs() + 1);
    }
    if (model.spike() > 0) {
      if (spike.nextDouble() < model.spike()) {
        standsUntilNs[port] =
            Math.max(standsUntilNs[port], nowNs + spike.nextLong(model.spikeNs() + 1));
      }
      delayNs += Math.max(0, standsUntilNs[port] - nowNs);
    }
    if (secondDelayNs >= 0) {
      secondDelayNs += delayNs;
    }
  }

  /** Flips bits anywhere in the headers and says that the ICRC is wrong. */
  static void garble(Frame frame, SplittableRandom random) {
    frame.psn(frame.psn() ^ 1 << random.nextInt(24));
    switch (random.nextInt(6)) {
      case 0 -> frame.destQp(frame.destQp() ^ 1 << random.nextInt(24));
      case 1 -> frame.opcode(frame.opcode() ^ 1 << random.nextInt(8));
      case 2 -> frame.virtualAddress(frame.virtualAddress() ^ 1L << random.nextInt(64));
      case 3 -> frame.sackBitmap(frame.sackBitmap() ^ random.nextLong());
      case 4 -> frame.ev(frame.ev() ^ 1 << random.nextInt(32));
      default -> frame.payloadLength(random.nextInt(1 << 16));
    }
    frame.icrcBad(true);
  }

  /** What a switch leaves that cuts right after BTH. */
  private static void cutShort(Frame frame) {
    frame.timestamp(0).tsr(0).fType(0).msn(0).rqMsn(0).immediate(0);
    frame.virtualAddress(0).rKey(0).dmaLength(0).payloadLength(0).padCount(0);
  }

  /** A number in 0 … 1 that stays the same for an EV and question. */
  private double chanceOf(int ev, int port, int question) {
    long h = Streams.mix(evSalt ^ Streams.mix(ev * 31L + port + ((long) question << 40)));
    return (h >>> 11) * 0x1.0p-53;
  }
}

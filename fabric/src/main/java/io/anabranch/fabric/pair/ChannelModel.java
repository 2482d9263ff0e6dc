package io.anabranch.fabric.pair;

import io.anabranch.engine.config.Check;

/**
 * What one direction of the channel does to frames, each chance a probability per frame.
 *
 * @param loss chance that a frame vanishes, each on its own
 * @param burstEnter chance of entering the bad state (Gilbert-Elliott) with a frame
 * @param burstExit chance of leaving it with a frame
 * @param burstLoss chance of loss in the bad state
 * @param badEvShare share of the EVs that are bad
 * @param badEvLoss chance of loss on a bad EV
 * @param lossyPlane the plane that loses, from 0; −1 for none
 * @param lossyPlaneLoss chance of loss on it
 * @param controlLoss chance that a SACK, NACK, transport ACK or endpoint response vanishes
 * @param reorder chance that a frame is late
 * @param reorderNs how late, at most: uniform
 * @param duplicate chance that a frame arrives twice
 * @param duplicateNs how much later the second one comes, at most: uniform
 * @param corrupt chance that bits flip: the frame arrives with a wrong ICRC
 * @param trim chance that a data packet or probe loses its payload
 * @param trimLastHop share of the trimmed that say it was the last hop
 * @param trimShort share of the trimmed that lose every header beyond BTH as well
 * @param mark chance that a frame with ECT arrives with CE
 * @param markEvShare share of the EVs that are marked at all; 1 = all
 * @param spike chance that a delay spike begins on a plane with a frame
 * @param spikeNs how long frames of that plane wait then, at most: in order
 */
public record ChannelModel(
    double loss,
    double burstEnter,
    double burstExit,
    double burstLoss,
    double badEvShare,
    double badEvLoss,
    int lossyPlane,
    double lossyPlaneLoss,
    double controlLoss,
    double reorder,
    long reorderNs,
    double duplicate,
    long duplicateNs,
    double corrupt,
    double trim,
    double trimLastHop,
    double trimShort,
    double mark,
    double markEvShare,
    double spike,
    long spikeNs) {
  /** A channel that only delays. */
  public static final ChannelModel CLEAN = new Knobs().build();

  /** Checks ranges. */
  public ChannelModel {
    chance("loss", loss);
    chance("burstEnter", burstEnter);
    chance("burstExit", burstExit);
    chance("burstLoss", burstLoss);
    chance("badEvShare", badEvShare);
    chance("badEvLoss", badEvLoss);
    Check.range("lossyPlane", lossyPlane, -1, 31);
    chance("lossyPlaneLoss", lossyPlaneLoss);
    chance("controlLoss", controlLoss);
    chance("reorder", reorder);
    Check.range("reorderNs", reorderNs, 0, 1_000_000_000L);
    chance("duplicate", duplicate);
    Check.range("duplicateNs", duplicateNs, 0, 1_000_000_000L);
    chance("corrupt", corrupt);
    chance("trim", trim);
    chance("trimLastHop", trimLastHop);
    chance("trimShort", trimShort);
    chance("mark", mark);
    chance("markEvShare", markEvShare);
    chance("spike", spike);
    Check.range("spikeNs", spikeNs, 0, 1_000_000_000L);
  }

  private static void chance(String field, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw new IllegalArgumentException(field + ": " + value + ", allowed 0…1");
    }
  }

  /**
   * Chance that a data packet does not arrive whole, bad EVs and planes weighted by their share.
   */
  public double dataLoss(int planes) {
    double burst = burstEnter == 0 ? 0 : burstEnter / (burstEnter + burstExit) * burstLoss;
    double plane = lossyPlane < 0 ? 0 : lossyPlaneLoss / planes;
    double pass = (1 - loss) * (1 - burst) * (1 - badEvShare * badEvLoss) * (1 - plane);
    return 1 - pass * (1 - corrupt) * (1 - trim);
  }

  /** Whether nothing is ever lost or late. */
  public boolean faithful() {
    return dataLoss(1) == 0 && controlLoss == 0 && reorder == 0 && spike == 0;
  }

  /** The fields of {@link ChannelModel}, to be set one by one; all start at "never". */
  public static final class Knobs {
    public double loss;
    public double burstEnter;
    public double burstExit = 0.1;
    public double burstLoss = 1;
    public double badEvShare;
    public double badEvLoss = 1;
    public int lossyPlane = -1;
    public double lossyPlaneLoss = 1;
    public double controlLoss;
    public double reorder;
    public long reorderNs;
    public double duplicate;
    public long duplicateNs = 50_000;
    public double corrupt;
    public double trim;
    public double trimLastHop;
    public double trimShort;
    public double mark;
    public double markEvShare = 1;
    public double spike;
    public long spikeNs;

    /** The model with these values. */
    public ChannelModel build() {
      return new ChannelModel(
          loss,
          burstEnter,
          burstExit,
          burstLoss,
          badEvShare,
          badEvLoss,
          lossyPlane,
          lossyPlaneLoss,
          controlLoss,
          reorder,
          reorderNs,
          duplicate,
          duplicateNs,
          corrupt,
          trim,
          trimLastHop,
          trimShort,
          mark,
          markEvShare,
          spike,
          spikeNs);
    }
  }
}

package io.anabranch.fabric.pair;

import io.anabranch.engine.Command;
import io.anabranch.engine.CommandResult;
import io.anabranch.engine.Engine;
import io.anabranch.engine.config.PeerConfig;
import io.anabranch.engine.config.QpConfig;
import io.anabranch.engine.config.RequestorAttributes;
import io.anabranch.engine.config.ResponderAttributes;
import java.util.List;

/** The out-of-band set-up: peers, queue pairs, regions and receives of one side. */
final class PairSetup {
  private final PairPlan plan;
  private final Engine engine;
  private final PairChecker checker;
  private final int side;

  private PairSetup(PairPlan plan, Engine engine, PairChecker checker, int side) {
    this.plan = plan;
    this.engine = engine;
    this.checker = checker;
    this.side = side;
  }

  /** Brings up everything of one side up to RTS, with receives posted. */
  static void connect(
      PairScenario scenario, PairPlan plan, Engine engine, PairChecker checker, int side) {
    PairSetup setup = new PairSetup(plan, engine, checker, side);
    setup.connect(scenario);
  }

  private void connect(PairScenario scenario) {
    PairScenario.Shape shape = scenario.shape();
    order(
        new Command.AddPeer(
            0,
            new PeerConfig(
                List.of(plan.addresses[1 - side]),
                plan.tables[side],
                shape.initialRttNs(),
                shape.cc())));
    for (int q = 0; q < shape.qps(); q++) {
      Flow out = plan.flows[side][q];
      Flow in = plan.flows[1 - side][q];
      int receives = PairPlan.receives(scenario, in);
      int qp = out.requestorQp;
      order(
          new Command.CreateQp(
              qp,
              new QpConfig(
                  PairPlan.DOMAIN,
                  scenario.work().sendQueueDepth(),
                  receives,
                  shape.evMinActive(),
                  shape.evActive())));
      register(q, plan.keys[side][q], PairPlan.DOMAIN, true);
      order(
          new Command.ReadyToReceive(
              qp,
              new ResponderAttributes(
                  0,
                  out.responderQp,
                  in.startPsn,
                  in.startMsn,
                  shape.mtuBytes(),
                  shape.mprPackets(),
                  shape.dynamicMpr(),
                  Math.max(32, shape.maxWimm()))));
      order(
          new Command.ReadyToSend(
              qp,
              new RequestorAttributes(
                  out.startPsn,
                  out.startMsn,
                  shape.mprPackets(),
                  shape.dynamicMpr(),
                  shape.maxWimm(),
                  shape.timeout(),
                  shape.linearRetries(),
                  shape.exponentialRetries())));
      for (int r = 0; r < receives; r++) {
        order(new Command.PostReceive(qp, CompletionChecks.RECEIVE_IDS + r));
      }
      in.receivesPosted = receives;
    }
    register(shape.qps(), PairPlan.KEY_NO_RIGHTS, PairPlan.DOMAIN, false);
    register(shape.qps() + 1, PairPlan.KEY_OTHER_DOMAIN, PairPlan.DOMAIN + 1, true);
  }

  private void register(int region, int key, int domain, boolean remoteWrite) {
    order(
        new Command.RegisterRegion(
            key,
            region,
            plan.regionAddress[side][region],
            plan.regionBytes[side][region],
            domain,
            remoteWrite));
  }

  private void order(Command command) {
    order(engine, checker, command, 0);
  }

  /** Gives a command that must be carried out. */
  static void order(Engine engine, PairChecker checker, Command command, long nowNs) {
    CommandResult result = engine.submit(command, nowNs);
    if (result != CommandResult.OK) {
      throw checker.breach(Invariant.SEAM, "refused, " + result + ": " + command);
    }
  }
}

package io.anabranch.verbs;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a context works; {@link #DEFAULT} suits real devices.
 *
 * @param commandQueueCapacity work requests and control calls that may be on their way to the
 *     driver's thread: a power of two, 16 … 2^20
 * @param commandsPerTurn how many of them the driver's thread takes at a time, 1 … 2^16
 * @param commandTimeoutNs how long a control call waits for the driver's thread, and a close for
 *     acknowledgements: 1 ms … 10 min
 * @param expectedPeers peers to be connected; each is granted an equal share of the receive buffer,
 *     so that what all may have in flight fits in it: 1 … 4096
 * @param maxWimm WRITEs with Immediate that each queue pair's peer may have in flight, 32 … 4096
 * @param mprPackets maximum PSN range granted to each: a multiple of 128, 8 … 255 units
 * @param dynamicMpr whether it may change while connected ({@link QueuePair#grantMpr}), where the
 *     peer agrees
 * @param maxAsyncEvents asynchronous events that may wait to be taken; further ones are lost and
 *     counted: 16 … 2^20
 * @param planeEvents whether planes left and taken back are reported
 * @param stepper for a driver without a thread of its own, else null
 */
public record ContextConfig(
    int commandQueueCapacity,
    int commandsPerTurn,
    long commandTimeoutNs,
    int expectedPeers,
    int maxWimm,
    int mprPackets,
    boolean dynamicMpr,
    int maxAsyncEvents,
    boolean planeEvents,
    @Nullable Stepper stepper) {
  private static final long MS = 1_000_000;

  /** One peer, 256 WRITEs with Immediate, the largest window, 5 s for control calls. */
  public static final ContextConfig DEFAULT =
      new ContextConfig(4096, 256, 5000 * MS, 1, 256, 255 * 128, false, 1024, false, null);

  /** Checks ranges. */
  public ContextConfig {
    MrcException.range("commandQueueCapacity", commandQueueCapacity, 16, 1 << 20);
    if (Integer.bitCount(commandQueueCapacity) != 1) {
      throw MrcException.invalid("commandQueueCapacity", commandQueueCapacity, "powers of two");
    }
    MrcException.range("commandsPerTurn", commandsPerTurn, 1, 1 << 16);
    MrcException.range("commandTimeoutNs", commandTimeoutNs, MS, 600_000 * MS);
    MrcException.range("expectedPeers", expectedPeers, 1, 4096);
    QpAttribute.MAX_WIMM_RESPONDER.check(maxWimm);
    QpAttribute.MPR_RESPONDER.check(mprPackets);
    MrcException.range("maxAsyncEvents", maxAsyncEvents, 16, 1 << 20);
  }

  /** The components, to be changed one by one. */
  private static final class Edit {
    int commandQueueCapacity;
    int commandsPerTurn;
    long commandTimeoutNs;
    int expectedPeers;
    int maxWimm;
    int mprPackets;
    boolean dynamicMpr;
    int maxAsyncEvents;
    boolean planeEvents;
    @Nullable Stepper stepper;

    Edit(ContextConfig from) {
      commandQueueCapacity = from.commandQueueCapacity;
      commandsPerTurn = from.commandsPerTurn;
      commandTimeoutNs = from.commandTimeoutNs;
      expectedPeers = from.expectedPeers;
      maxWimm = from.maxWimm;
      mprPackets = from.mprPackets;
      dynamicMpr = from.dynamicMpr;
      maxAsyncEvents = from.maxAsyncEvents;
      planeEvents = from.planeEvents;
      stepper = from.stepper;
    }
  }

  private ContextConfig with(Consumer<Edit> change) {
    Edit e = new Edit(this);
    change.accept(e);
    return new ContextConfig(
        e.commandQueueCapacity,
        e.commandsPerTurn,
        e.commandTimeoutNs,
        e.expectedPeers,
        e.maxWimm,
        e.mprPackets,
        e.dynamicMpr,
        e.maxAsyncEvents,
        e.planeEvents,
        e.stepper);
  }

  /** The same with another {@link #commandQueueCapacity} and {@link #commandsPerTurn}. */
  public ContextConfig withCommands(int capacity, int perTurn) {
    return with(e -> {
      e.commandQueueCapacity = capacity;
      e.commandsPerTurn = perTurn;
    });
  }

  /** The same with another {@link #commandTimeoutNs}. */
  public ContextConfig withCommandTimeoutNs(long value) {
    return with(e -> e.commandTimeoutNs = value);
  }

  /** The same with other {@link #expectedPeers}. */
  public ContextConfig withExpectedPeers(int value) {
    return with(e -> e.expectedPeers = value);
  }

  /** The same with another {@link #maxWimm}. */
  public ContextConfig withMaxWimm(int value) {
    return with(e -> e.maxWimm = value);
  }

  /** The same with another {@link #mprPackets} and {@link #dynamicMpr}. */
  public ContextConfig withMpr(int packets, boolean dynamic) {
    return with(e -> {
      e.mprPackets = packets;
      e.dynamicMpr = dynamic;
    });
  }

  /** The same with another {@link #maxAsyncEvents} and {@link #planeEvents}. */
  public ContextConfig withEvents(int max, boolean planes) {
    return with(e -> {
      e.maxAsyncEvents = max;
      e.planeEvents = planes;
    });
  }

  /** The same with another {@link #stepper}. */
  public ContextConfig withStepper(Stepper value) {
    return with(e -> e.stepper = value);
  }
}

package io.anabranch.tools.run;

import io.anabranch.engine.config.EngineConfig;
import io.anabranch.engine.config.PlaneAddress;
import io.anabranch.engine.endpoint.MrcEngine;
import io.anabranch.engine.trace.TraceSink;
import io.anabranch.net.capture.Capture;
import io.anabranch.net.capture.CaptureIo;
import io.anabranch.net.device.PacketIo;
import io.anabranch.net.fault.FaultIo;
import io.anabranch.net.fault.FaultSpec;
import io.anabranch.net.loop.DutyCycle;
import io.anabranch.net.loop.LoopConfig;
import io.anabranch.net.loop.LoopStats;
import io.anabranch.net.socket.SocketConfig;
import io.anabranch.net.socket.SocketIo;
import io.anabranch.verbs.MrcContext;
import io.anabranch.wire.mrc.DscpMap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One MRC endpoint over sockets: the device with its faults and capture, the duty cycle with its
 * engine, and the context that applications use.
 */
public final class Endpoint implements AutoCloseable {
  private final DutyCycle driver;
  private final @Nullable FaultIo faults;
  private final MrcContext context;

  private Endpoint(DutyCycle driver, @Nullable FaultIo faults, MrcContext context) {
    this.driver = driver;
    this.faults = faults;
    this.context = context;
  }

  /**
   * Opens one.
   *
   * @param name of its thread and of its interfaces in a capture
   * @param faults what happens to what it sends, to be replaced at any time; null: never anything
   * @param seed of its engine's choices and of its faults
   * @param capture takes what it sends, or null
   * @param trace takes the engine's trace events on the driver's thread, or null
   * @throws IOException when sockets cannot be opened or the capture cannot be written
   */
  public static Endpoint open(
      String name,
      SocketConfig sockets,
      @Nullable FaultSpec faults,
      long seed,
      @Nullable Capture capture,
      @Nullable TraceSink trace)
      throws IOException {
    SocketIo socketIo = SocketIo.open(sockets);
    try {
      FaultIo faultIo =
          faults == null ? null : new FaultIo(socketIo, faults, seed, DscpMap.DEFAULT);
      PacketIo sending = faultIo == null ? socketIo : faultIo;
      PacketIo io = capture == null ? sending : new CaptureIo(sending, capture, name, false);
      List<PlaneAddress> planes = new ArrayList<>();
      for (int port = 0; port < io.ports(); port++) {
        planes.add(io.address(port));
      }
      EngineConfig config = EngineConfig.sockets(planes, seed);
      DutyCycle driver =
          new DutyCycle(
              io,
              memory -> new MrcEngine(config, memory, trace),
              LoopConfig.DEFAULT.withThreadName("mrc " + name));
      return new Endpoint(driver, faultIo, MrcContext.open(driver));
    } catch (IOException | RuntimeException e) {
      socketIo.close();
      throw e;
    }
  }

  /** What applications use. */
  public MrcContext context() {
    return context;
  }

  /** Its faults. */
  public FaultIo faults() {
    if (faults == null) {
      throw new IllegalStateException("opened without faults");
    }
    return faults;
  }

  /** What its duty cycle has done. */
  public LoopStats stats() {
    return driver.stats();
  }

  /** What ended its thread before its time, or null. */
  public @Nullable Throwable failure() {
    return driver.failure();
  }

  @Override
  public void close() {
    context.close();
  }
}

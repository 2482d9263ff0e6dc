package io.anabranch.engine;

import io.anabranch.wire.mrc.Frame;

/**
 * One NIC's protocol engine as a pure state machine. Each call takes the time and returns at once;
 * the caller owns threads, clocks and I/O and makes one call at a time.
 *
 * <p>Time is in nanoseconds since any fixed origin and never goes back between calls: rounded down
 * where it is {@code now}, and a deadline is rounded up. Ports count from 0 here; port n is plane n
 * + 1 on the wire and before users.
 *
 * <p>Which calls can change an answer:
 *
 * <table>
 * <caption>What a call may change</caption>
 * <tr><th>call</th><th>nextFrame</th><th>nextDeadlineNs</th><th>poll</th></tr>
 * <tr><td>receive</td><td>yes, any port</td><td>yes</td><td>yes</td></tr>
 * <tr><td>nextFrame</td><td>yes, any port</td><td>yes</td><td>no</td></tr>
 * <tr><td>expire</td><td>yes, any port</td><td>yes</td><td>yes</td></tr>
 * <tr><td>submit, portState</td><td>yes, any port</td><td>yes</td><td>yes</td></tr>
 * <tr><td>poll</td><td>no</td><td>no</td><td>yes</td></tr>
 * </table>
 *
 * Time alone changes none of them: only a deadline that has passed, told through {@link #expire}.
 */
public interface Engine {
  /** {@link #nextDeadlineNs} when no timer runs. */
  long NEVER = Long.MAX_VALUE;

  /**
   * Takes in one frame. Payload that is accepted reaches {@link Memory#place} before this returns.
   * What is wrong with a frame is counted by {@link DropReason} and traced, never thrown.
   *
   * @param frame read during the call only
   * @param port the local port it arrived on
   */
  void receive(Frame frame, int port, long nowNs);

  /**
   * Asks for the next frame to send on a port that can send now. Queue pair, packet, EV and
   * timestamp are chosen only here, so a window never stands in a queue.
   *
   * @param slot filled when there is something to send
   * @return false: nothing to send on this port until another call changes it
   */
  boolean nextFrame(int port, long nowNs, Frame slot);

  /** Runs every timer whose deadline is at or before {@code nowNs}. Early calls are harmless. */
  void expire(long nowNs);

  /**
   * When {@link #expire} is next needed, or {@link #NEVER}. It may be earlier than the next timer
   * that does something; calling late delays recovery.
   */
  long nextDeadlineNs();

  /**
   * Carries out a command. The command object is not kept.
   *
   * @return {@link CommandResult#OK}, or why nothing was done
   */
  CommandResult submit(Command command, long nowNs);

  /** Hands over all completions and events since the last call, in order. */
  void poll(Sink sink);

  /** Tells that a local port can or cannot carry frames. */
  void portState(int port, boolean up, long nowNs);

  /**
   * A copy of a queue pair's public state and counters, or null if there is none of that number.
   */
  @org.jspecify.annotations.Nullable
  QpSnapshot snapshot(int qp);

  /** How often each reason made the engine discard or refuse something since it was made. */
  long drops(DropReason reason);
}

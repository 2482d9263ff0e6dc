package io.anabranch.engine;

/** Takes what an engine reports. Arguments are primitive so that reporting allocates nothing. */
public interface Sink {
  /**
   * A work request has ended. Per queue pair, sends complete in post order, and so do receives.
   *
   * @param qp local QP number
   * @param wrId the id given when it was posted
   * @param status how it ended
   * @param operation what it was
   * @param byteLength bytes of the message; of a failed one 0
   * @param immediate the immediate of a received WRITE with Immediate, else 0
   * @param solicited whether the sender asked for a solicited event
   */
  void completion(
      int qp,
      long wrId,
      Status status,
      Operation operation,
      long byteLength,
      int immediate,
      boolean solicited);

  /**
   * Something happened that belongs to no work request.
   *
   * @param qp the queue pair, or −1
   * @param detail see {@link EngineEvent}
   */
  void event(EngineEvent event, int qp, long detail);

  /** What a completion is about. */
  enum Operation {
    WRITE,
    WRITE_WITH_IMMEDIATE,
    RECEIVE_WRITE_WITH_IMMEDIATE
  }
}

package io.anabranch.verbs;

import io.anabranch.engine.Sink.Operation;
import io.anabranch.engine.Status;

/**
 * How a work request ended.
 *
 * @param id the id given when it was posted
 * @param status SUCCESS, or why it failed; the other fields but id, operation and QP number are
 *     then 0
 * @param operation what it was
 * @param byteLength bytes of the message, 0 … 2^32 − 1
 * @param immediate the immediate of a received WRITE with Immediate, else 0
 * @param qpNumber the local QP number
 */
public record WorkCompletion(
    long id, Status status, Operation operation, long byteLength, int immediate, int qpNumber) {
  /** Whether it succeeded. */
  public boolean succeeded() {
    return status == Status.SUCCESS;
  }
}

package io.anabranch.net.setup;

import java.io.IOException;

/** A set-up that failed, or its connection after it; the message is for users. */
public final class ExchangeException extends IOException {
  private static final long serialVersionUID = 1L;

  /** What kind of failure. */
  public enum Reason {
    /** Nobody answers at the address. */
    UNREACHABLE,
    /** The peer did not answer in time. */
    TIMEOUT,
    /** What came is not this protocol, or contradicts it. */
    MALFORMED,
    /** What came is longer than allowed. */
    TOO_LARGE,
    /** No version that both sides speak. */
    VERSION,
    /** Wrong token, or only one side has one. */
    AUTHENTICATION,
    /** The peer does not want to; the message holds its words. */
    REFUSED,
    /** The connection ended too early. */
    CLOSED
  }

  private final Reason reason;

  /** A failure. */
  public ExchangeException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  /** A failure with its cause. */
  public ExchangeException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  /** What kind of failure. */
  public Reason reason() {
    return reason;
  }
}

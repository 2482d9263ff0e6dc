package io.anabranch.tools.transfer;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A transfer that cannot be done or has failed; the message is for users, and for the peer's. */
public final class TransferException extends IOException {
  private static final long serialVersionUID = 1L;

  /** A failure. */
  public TransferException(String message) {
    this(message, null);
  }

  /** A failure with its cause. */
  public TransferException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}

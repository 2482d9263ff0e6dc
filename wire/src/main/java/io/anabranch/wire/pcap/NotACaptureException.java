package io.anabranch.wire.pcap;

import java.io.IOException;

/** The bytes are neither pcapng nor pcap; the message says what they are instead, where known. */
public final class NotACaptureException extends IOException {
  private static final long serialVersionUID = 1L;

  NotACaptureException(String message) {
    super(message);
  }
}

package io.anabranch.net.setup;

/** A message of the exchange. */
@SuppressWarnings("ArrayRecordComponent") // made, read once and dropped; never compared
record Message(Type type, byte[] body) {
  /** The kinds, each with the most bytes that its body may have. */
  enum Type {
    /** Versions and a nonce. */
    HELLO(64),
    /** Proof of having the token. */
    PROOF(Token.MAC_BYTES),
    /** {@link PeerAttributes}. */
    ATTRIBUTES(PeerAttributes.MAX_BYTES),
    /** "No", and why. */
    REFUSE(1024),
    /** The applications' own. */
    APPLICATION(Exchange.MAX_MESSAGE_BYTES),
    /** A sign of life. */
    KEEPALIVE(0),
    /** An orderly end. */
    DONE(0);

    private static final Type[] ALL = values();

    final int maxBytes;

    Type(int maxBytes) {
      this.maxBytes = maxBytes;
    }

    /** Its number on the wire. */
    int code() {
      return ordinal() + 1;
    }

    static Type of(int code) throws ExchangeException {
      if (code < 1 || code > ALL.length) {
        throw new ExchangeException(
            ExchangeException.Reason.MALFORMED,
            "message type: " + code + ", allowed 1…" + ALL.length);
      }
      return ALL[code - 1];
    }
  }
}

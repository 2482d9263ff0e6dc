package io.anabranch.net.setup;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * The first messages of a connection, up to the attributes.
 *
 * <pre>
 * client                                server
 *   HELLO oldest, newest, nonce  ──►
 *                                ◄──  HELLO version, token wanted, nonce
 *   PROOF                        ──►    (only with a token)
 *                                ◄──  PROOF
 *   ATTRIBUTES                   ──►
 *                                ◄──  ATTRIBUTES or REFUSE
 * </pre>
 */
final class Handshake {
  /** The version of the exchange that this code speaks. */
  static final int VERSION = 1;

  private static final int NONCE_BYTES = 32;
  private static final int CLIENT_HELLO_BYTES = 4 + NONCE_BYTES;
  private static final int SERVER_HELLO_BYTES = 3 + NONCE_BYTES;
  private static final String CLIENT_PROOF = "anabranch client";
  private static final String SERVER_PROOF = "anabranch server";
  private static final String CONNECTION_KEY = "anabranch connection";

  private Handshake() {}

  /**
   * The client's side up to its attributes.
   *
   * @return round-trip time seen on the way
   */
  static long client(
      MessageStream stream, @Nullable Token token, SecureRandom random, long deadlineNs)
      throws ExchangeException {
    byte[] mine = nonce(random);
    ByteBuffer hello = ByteBuffer.allocate(CLIENT_HELLO_BYTES);
    hello.putShort((short) VERSION).putShort((short) VERSION).put(mine);
    long sentNs = System.nanoTime();
    stream.write(Message.Type.HELLO, hello.array());
    ByteBuffer answer =
        sized(stream.expect(Message.Type.HELLO, deadlineNs), SERVER_HELLO_BYTES, "HELLO");
    final long rttNs = System.nanoTime() - sentNs;
    int version = answer.getShort();
    if (version != VERSION) {
      throw new ExchangeException(
          ExchangeException.Reason.VERSION, "exchange version: " + version + ", allowed 1…1");
    }
    boolean wanted = answer.get() != 0;
    byte[] theirs = new byte[NONCE_BYTES];
    answer.get(theirs);
    if (wanted != (token != null)) {
      String who = wanted ? "the peer asks for a token" : "the peer has no token";
      throw new ExchangeException(ExchangeException.Reason.AUTHENTICATION, who);
    }
    if (token != null) {
      stream.write(Message.Type.PROOF, token.mac(CLIENT_PROOF, mine, theirs));
      byte[] proof = stream.expect(Message.Type.PROOF, deadlineNs);
      check(proof, token.mac(SERVER_PROOF, mine, theirs));
      stream.authenticate(token.mac(CONNECTION_KEY, mine, theirs));
    }
    return rttNs;
  }

  /**
   * The server's side up to the client's attributes.
   *
   * @return when it sent its HELLO, by {@link System#nanoTime}; the client answers it at once
   */
  static long server(
      MessageStream stream, @Nullable Token token, SecureRandom random, long deadlineNs)
      throws ExchangeException {
    ByteBuffer hello =
        sized(stream.expect(Message.Type.HELLO, deadlineNs), CLIENT_HELLO_BYTES, "HELLO");
    int oldest = hello.getShort() & 0xffff;
    int newest = hello.getShort() & 0xffff;
    byte[] theirs = new byte[NONCE_BYTES];
    hello.get(theirs);
    if (oldest > VERSION || newest < VERSION) {
      String message = "exchange version: " + oldest + "…" + newest + ", allowed 1…1";
      refuse(stream, message);
      throw new ExchangeException(ExchangeException.Reason.VERSION, message);
    }
    byte[] mine = nonce(random);
    ByteBuffer answer = ByteBuffer.allocate(SERVER_HELLO_BYTES);
    answer.putShort((short) VERSION).put((byte) (token == null ? 0 : 1)).put(mine);
    long sentNs = System.nanoTime();
    stream.write(Message.Type.HELLO, answer.array());
    if (token == null) {
      return sentNs;
    }
    byte[] proof = stream.expect(Message.Type.PROOF, deadlineNs);
    try {
      check(proof, token.mac(CLIENT_PROOF, theirs, mine));
    } catch (ExchangeException e) {
      refuse(stream, "wrong token");
      throw e;
    }
    stream.write(Message.Type.PROOF, token.mac(SERVER_PROOF, theirs, mine));
    stream.authenticate(token.mac(CONNECTION_KEY, theirs, mine));
    return sentNs;
  }

  /** Says why not; the connection may be gone already. */
  static void refuse(MessageStream stream, String why) {
    try {
      stream.write(Message.Type.REFUSE, Words.bytes(why));
    } catch (ExchangeException e) {
      // The refusal stands whether or not the peer hears of it.
      return;
    }
  }

  private static void check(byte[] proof, byte[] expected) throws ExchangeException {
    if (!MessageDigest.isEqual(proof, expected)) {
      throw new ExchangeException(ExchangeException.Reason.AUTHENTICATION, "wrong token");
    }
  }

  private static byte[] nonce(SecureRandom random) {
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    return nonce;
  }

  private static ByteBuffer sized(byte[] body, int bytes, String what) throws ExchangeException {
    if (body.length != bytes) {
      throw new ExchangeException(
          ExchangeException.Reason.MALFORMED,
          what + ": " + body.length + " bytes, allowed " + bytes + "…" + bytes);
    }
    return ByteBuffer.wrap(body);
  }
}

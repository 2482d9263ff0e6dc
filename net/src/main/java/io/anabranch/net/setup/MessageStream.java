package io.anabranch.net.setup;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/**
 * Messages over a TCP connection.
 *
 * <pre>
 *  0  magic "ANBR"     4 bytes
 *  4  framing version  1 byte: 1
 *  5  type             1 byte
 *  6  reserved         2 bytes: 0
 *  8  length           4 bytes: of the body
 * 12  body
 *     MAC              32 bytes, once both sides proved the token: HMAC-SHA256 by a key of this
 *                      connection over direction, message number, header and body
 * </pre>
 *
 * <p>One thread reads; any may write.
 */
final class MessageStream {
  private static final int MAGIC = 0x414e4252;
  private static final int FRAMING_VERSION = 1;
  private static final int HEADER_BYTES = 12;

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;
  private final boolean client;
  private final Object writeLock = new Object();
  private byte @Nullable [] key;
  private long numberIn;
  private long numberOut;

  MessageStream(Socket socket, boolean client) throws IOException {
    this.socket = socket;
    this.client = client;
    socket.setTcpNoDelay(true);
    in = socket.getInputStream();
    out = socket.getOutputStream();
  }

  /** From now on every message has a MAC. Called once, before any other thread uses this. */
  void authenticate(byte[] connectionKey) {
    key = connectionKey.clone();
  }

  void write(Message.Type type, byte[] body) throws ExchangeException {
    if (body.length > type.maxBytes) {
      throw new IllegalArgumentException(
          type + ": " + body.length + " bytes, allowed 0…" + type.maxBytes);
    }
    byte[] with = key;
    int macBytes = with == null ? 0 : Token.MAC_BYTES;
    ByteBuffer message = ByteBuffer.allocate(HEADER_BYTES + body.length + macBytes);
    message.putInt(MAGIC).put((byte) FRAMING_VERSION).put((byte) type.code()).putShort((short) 0);
    message.putInt(body.length).put(body);
    synchronized (writeLock) {
      if (with != null) {
        byte[] covered = new byte[HEADER_BYTES + body.length];
        message.get(0, covered);
        message.put(mac(with, client, numberOut++, covered));
      }
      try {
        out.write(message.array());
      } catch (IOException e) {
        throw new ExchangeException(
            ExchangeException.Reason.CLOSED, "the peer closed the connection", e);
      }
    }
  }

  private static byte[] mac(byte[] key, boolean fromClient, long number, byte[] covered) {
    ByteBuffer prefix = ByteBuffer.allocate(9).put((byte) (fromClient ? 1 : 2)).putLong(number);
    return Token.mac(key, prefix.array(), covered);
  }

  /**
   * Reads the next message.
   *
   * @param deadlineNs when, by {@link System#nanoTime}, it must be here as a whole
   */
  Message read(long deadlineNs) throws ExchangeException {
    byte[] header = readBytes(HEADER_BYTES, deadlineNs);
    ByteBuffer h = ByteBuffer.wrap(header);
    int magic = h.getInt(0);
    if (magic != MAGIC || h.get(4) != FRAMING_VERSION) {
      throw new ExchangeException(
          ExchangeException.Reason.MALFORMED,
          String.format("not an Anabranch endpoint: it sent %08x, version %d", magic, h.get(4)));
    }
    Message.Type type = Message.Type.of(h.get(5) & 0xff);
    long length = h.getInt(8) & 0xffff_ffffL;
    if (length > type.maxBytes) {
      throw new ExchangeException(
          ExchangeException.Reason.TOO_LARGE,
          type + ": " + length + " bytes, allowed 0…" + type.maxBytes);
    }
    byte[] body = readBytes((int) length, deadlineNs);
    byte[] with = key;
    if (with != null) {
      byte[] sent = readBytes(Token.MAC_BYTES, deadlineNs);
      byte[] covered = new byte[HEADER_BYTES + body.length];
      ByteBuffer.wrap(covered).put(header).put(body);
      if (!MessageDigest.isEqual(sent, mac(with, !client, numberIn++, covered))) {
        throw new ExchangeException(
            ExchangeException.Reason.AUTHENTICATION, type + ": its MAC is wrong");
      }
    }
    return new Message(type, body);
  }

  /** Reads a message that must be of one kind; a refusal instead of it is reported as such. */
  byte[] expect(Message.Type type, long deadlineNs) throws ExchangeException {
    Message message = read(deadlineNs);
    if (message.type() == Message.Type.REFUSE) {
      throw new ExchangeException(
          ExchangeException.Reason.REFUSED, "refused by the peer: " + Words.of(message.body()));
    }
    if (message.type() != type) {
      throw new ExchangeException(
          ExchangeException.Reason.MALFORMED,
          "expected " + type + ", the peer sent " + message.type());
    }
    return message.body();
  }

  private byte[] readBytes(int count, long deadlineNs) throws ExchangeException {
    byte[] bytes = new byte[count];
    int have = 0;
    try {
      while (have < count) {
        // The socket's timeout is for one read: a peer that sends a byte at a time meets the
        // deadline all the same.
        long leftMs = (deadlineNs - System.nanoTime()) / 1_000_000;
        if (leftMs <= 0) {
          throw new SocketTimeoutException();
        }
        socket.setSoTimeout((int) Math.min(leftMs, Integer.MAX_VALUE));
        int n = in.read(bytes, have, count - have);
        if (n < 0) {
          throw new EOFException();
        }
        have += n;
      }
      return bytes;
    } catch (SocketTimeoutException e) {
      throw new ExchangeException(
          ExchangeException.Reason.TIMEOUT, "the peer did not answer in time", e);
    } catch (IOException e) {
      throw new ExchangeException(
          ExchangeException.Reason.CLOSED, "the peer closed the connection", e);
    }
  }

  void close() {
    try {
      socket.close();
    } catch (IOException e) {
      // It is out of use either way.
      return;
    }
  }
}

package io.anabranch.tools.transfer;

import java.nio.ByteBuffer;

/** What sender and receiver tell each other in the application's part of their attributes. */
final class Terms {
  /** The version of the transfer format that this code speaks. */
  static final int VERSION = 2;

  /** Most queue pairs of a transfer. */
  static final int MAX_QPS = 16;

  /** Most files and folders of a transfer. */
  static final int MAX_ENTRIES = 1 << 18;

  /** Most bytes of all their names. */
  static final long MAX_NAME_BYTES = 64L << 20;

  /** Longest message that carries data. */
  static final int BLOCK_BYTES = 1 << 20;

  /** Blocks that may be on their way. */
  static final int SLOTS = 32;

  private static final int UNHASHED = 1;
  private static final int MAGIC = 0x4d524354;
  private static final int MAX_BLOCK_BYTES = 16 << 20;
  private static final int MAX_SLOTS = 128;
  private static final long MAX_BUFFER_BYTES = 256L << 20;

  private Terms() {}

  /**
   * What the sender wants to send.
   *
   * @param entries files and folders
   * @param nameBytes bytes of all their names
   * @param bytes bytes of all files
   * @param hashed whether the sender wants every file hashed and compared
   */
  record Offer(int entries, long nameBytes, long bytes, boolean hashed) {
    private static final int BYTES = 21;

    ByteBuffer encode() {
      ByteBuffer b = begin(BYTES).putInt(entries).putLong(nameBytes).putLong(bytes);
      return putFlags(b, hashed).flip();
    }

    static Offer decode(ByteBuffer from) throws TransferException {
      ByteBuffer b = body(from, BYTES);
      Offer offer = new Offer(b.getInt(), b.getLong(), b.getLong(), readHashed(b));
      if (offer.entries < 1 || offer.entries > MAX_ENTRIES) {
        throw range("files and folders", Integer.toUnsignedLong(offer.entries), 1, MAX_ENTRIES);
      }
      check("bytes of names", offer.nameBytes, 1, MAX_NAME_BYTES);
      check("bytes", offer.bytes, 0, Long.MAX_VALUE);
      return offer;
    }
  }

  /**
   * Where the receiver takes data: its first region, cut into slots.
   *
   * @param blockBytes bytes of a slot, and most of a message
   * @param slots how many
   * @param hashed whether every file is hashed and compared: if one side wants it
   */
  record Grant(int blockBytes, int slots, boolean hashed) {
    private static final int BYTES = 9;

    ByteBuffer encode() {
      return putFlags(begin(BYTES).putInt(blockBytes).putInt(slots), hashed).flip();
    }

    static Grant decode(ByteBuffer from) throws TransferException {
      ByteBuffer b = body(from, BYTES);
      Grant grant = new Grant(b.getInt(), b.getInt(), readHashed(b));
      check("block bytes", grant.blockBytes, 4096, MAX_BLOCK_BYTES);
      check("slots", grant.slots, 1, MAX_SLOTS);
      check("buffer bytes", grant.bufferBytes(), 1, MAX_BUFFER_BYTES);
      return grant;
    }

    long bufferBytes() {
      return (long) blockBytes * slots;
    }
  }

  private static ByteBuffer begin(int bodyBytes) {
    return ByteBuffer.allocate(6 + bodyBytes).putInt(MAGIC).putShort((short) VERSION);
  }

  private static ByteBuffer body(ByteBuffer from, int bodyBytes) throws TransferException {
    if (from.remaining() < 6 || from.getInt(from.position()) != MAGIC) {
      throw new TransferException("the peer speaks MRC but does not transfer files");
    }
    int version = from.getShort(from.position() + 4);
    check("transfer version", version, VERSION, VERSION);
    check("bytes of terms", from.remaining(), 6 + bodyBytes, 6 + bodyBytes);
    return from.slice(from.position() + 6, bodyBytes);
  }

  private static ByteBuffer putFlags(ByteBuffer into, boolean hashed) {
    return into.put((byte) (hashed ? 0 : UNHASHED));
  }

  private static boolean readHashed(ByteBuffer from) throws TransferException {
    int flags = Byte.toUnsignedInt(from.get());
    check("flags", flags, 0, UNHASHED);
    return flags == 0;
  }

  private static void check(String field, long value, long min, long max) throws TransferException {
    if (value < min || value > max) {
      throw range(field, value, min, max);
    }
  }

  private static TransferException range(String field, long value, long min, long max) {
    return new TransferException(field + ": " + value + ", allowed " + min + "…" + max);
  }
}

package io.anabranch.tools.transfer;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a sender says it will send: entries in the order in which their bytes come, a folder before
 * what is in it. Takes in whatever a peer says and accepts only what is harmless and complete.
 */
final class Manifest {
  private static final int DIRECTORY = 1;
  private static final int EXECUTABLE = 2;
  private static final int FIXED_BYTES = 11;

  private final Terms.Offer offer;
  private final List<Entry> entries = new ArrayList<>();
  private final Map<String, Boolean> directories = new HashMap<>();
  private long nameBytes;
  private long bytes;

  Manifest(Terms.Offer offer) {
    this.offer = offer;
  }

  /** The entries accepted so far. */
  List<Entry> entries() {
    return entries;
  }

  /** Whether everything that was offered is here. */
  boolean isComplete() {
    return entries.size() == offer.entries();
  }

  /**
   * Accepts the entries of a message.
   *
   * @throws TransferException when one must not be accepted; it names the entry
   */
  void add(ByteBuffer message) throws TransferException {
    while (message.hasRemaining()) {
      add(decode(message));
    }
    if (isComplete() && (nameBytes != offer.nameBytes() || bytes != offer.bytes())) {
      throw new TransferException(
          "manifest: " + bytes + " bytes in all, " + offer.bytes() + " were offered");
    }
  }

  private static Entry decode(ByteBuffer message) throws TransferException {
    if (message.remaining() < FIXED_BYTES) {
      throw new TransferException("manifest: ends within an entry");
    }
    int flags = message.get();
    long size = message.getLong();
    int length = message.getShort() & 0xffff;
    if (flags < 0 || flags > EXECUTABLE || length > message.remaining()) {
      throw new TransferException("manifest: an entry is damaged");
    }
    ByteBuffer utf8 = message.slice(message.position(), length);
    message.position(message.position() + length);
    try {
      String name = StandardCharsets.UTF_8.newDecoder().decode(utf8).toString();
      return new Entry(name, flags == DIRECTORY, size, flags == EXECUTABLE);
    } catch (CharacterCodingException e) {
      throw new TransferException("manifest: a name is not UTF-8", e);
    }
  }

  private void add(Entry entry) throws TransferException {
    String name = entry.name();
    Names.check(name);
    if (isComplete()) {
      throw new TransferException("manifest: more than the " + offer.entries() + " offered");
    }
    if (entry.bytes() < 0
        || entry.directory() && entry.bytes() != 0
        || entry.bytes() > offer.bytes() - bytes) {
      throw new TransferException(
          "name '" + Names.shown(name) + "': " + entry.bytes() + " bytes do not fit the offer");
    }
    int slash = name.lastIndexOf('/');
    if (slash >= 0 && !Boolean.TRUE.equals(directories.get(name.substring(0, slash)))) {
      throw new TransferException(
          "name '" + Names.shown(name) + "': what it is in was not announced as a folder");
    }
    if (directories.put(name, entry.directory()) != null) {
      throw new TransferException("name '" + Names.shown(name) + "': twice");
    }
    nameBytes += name.getBytes(StandardCharsets.UTF_8).length;
    bytes += entry.bytes();
    entries.add(entry);
  }

  /**
   * Appends an entry to a message, unchecked.
   *
   * @return false: there is no room, and nothing was appended
   */
  static boolean encode(Entry entry, ByteBuffer message) {
    byte[] name = entry.name().getBytes(StandardCharsets.UTF_8);
    if (message.remaining() < FIXED_BYTES + name.length) {
      return false;
    }
    int flags = entry.directory() ? DIRECTORY : entry.executable() ? EXECUTABLE : 0;
    message.put((byte) flags).putLong(entry.bytes()).putShort((short) name.length).put(name);
    return true;
  }
}

package io.anabranch.tools.transfer;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Which names may be transferred: those that stay where they are put. */
final class Names {
  /** Most bytes of a name's part, as file systems have it. */
  static final int MAX_PART_BYTES = 255;

  /** Most bytes of a whole name. */
  static final int MAX_BYTES = 4096;

  /** How folders begin that hold files on their way. */
  static final String RESERVED = ".mrc-part-";

  private Names() {}

  /**
   * Checks a name.
   *
   * @throws TransferException naming the name and what is wrong with it
   */
  static void check(String name) throws TransferException {
    if (name.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
      throw bad(name.substring(0, 64) + "…", "longer than " + MAX_BYTES + " bytes");
    }
    if (name.startsWith("/")) {
      throw bad(name, "absolute");
    }
    for (String part : name.split("/", -1)) {
      if (part.isEmpty()) {
        throw bad(name, "has an empty part");
      }
      if (part.equals(".") || part.equals("..")) {
        throw bad(name, "has the part '" + part + "'");
      }
      if (part.getBytes(StandardCharsets.UTF_8).length > MAX_PART_BYTES) {
        throw bad(name, "has a part longer than " + MAX_PART_BYTES + " bytes");
      }
      if (part.indexOf('\0') >= 0) {
        throw bad(name, "has a NUL");
      }
      if (File.separatorChar != '/' && (part.indexOf('\\') >= 0 || part.indexOf(':') >= 0)) {
        throw bad(name, "has a character that is not for names here");
      }
    }
    if (name.startsWith(RESERVED)) {
      throw bad(name, "begins as the receiver's own folders do");
    }
    try {
      Path path = Path.of(name);
      if (path.isAbsolute() || !path.normalize().equals(path)) {
        throw bad(name, "does not stay where it is put");
      }
    } catch (InvalidPathException e) {
      throw new TransferException(
          "name '" + shown(name) + "': not a file name here: " + e.getReason(), e);
    }
  }

  private static TransferException bad(String name, String why) {
    return new TransferException("name '" + shown(name) + "': " + why);
  }

  /** A name made harmless for a terminal. */
  static String shown(String name) {
    StringBuilder clean = new StringBuilder(name.length());
    name.codePoints()
        .forEach(c -> {
          boolean harmless = !Character.isISOControl(c) && Character.getType(c) != Character.FORMAT;
          clean.appendCodePoint(harmless ? c : '?');
        });
    return clean.toString();
  }
}

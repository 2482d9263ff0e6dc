package io.anabranch.wire.ib;

import java.util.List;

/**
 * A header: its fields in the order in which they are shown. Bits that no field names are reserved,
 * sent as zero and ignored on receipt.
 *
 * @param name as the specification calls it
 * @param bytes size on the wire
 * @param fields the named fields
 */
public record Header(String name, int bytes, List<Field> fields) {
  /** Checks that every field lies within the header and that none overlap. */
  public Header {
    fields = List.copyOf(fields);
    byte[] taken = new byte[bytes];
    for (Field f : fields) {
      if (f.offset() < 0 || f.offset() + f.unitBytes() > bytes) {
        throw new IllegalArgumentException(name + "." + f.name() + " lies outside the header");
      }
      for (int bit = f.shift(); bit < f.shift() + f.bits(); bit++) {
        int i = f.offset() + f.unitBytes() - 1 - bit / 8;
        int mask = 1 << bit % 8;
        if ((taken[i] & mask) != 0) {
          throw new IllegalArgumentException(name + "." + f.name() + " overlaps another field");
        }
        taken[i] |= (byte) mask;
      }
    }
  }

  /** A header of {@code bytes} bytes with these fields. */
  public static Header of(String name, int bytes, Field... fields) {
    return new Header(name, bytes, List.of(fields));
  }
}

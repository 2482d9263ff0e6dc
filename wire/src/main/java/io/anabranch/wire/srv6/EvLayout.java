package io.anabranch.wire.srv6;

import java.util.List;

/**
 * How the packed EVs of an EV profile expand into what goes on the wire.
 *
 * @param format the format profile
 * @param fields the EV profile's fields, most significant first; fewer than the format's is allowed
 */
public record EvLayout(EvFormat format, List<EvField> fields) {
  /** Bytes of an EV, packed or expanded. */
  public static final int BYTES = 32;

  /** Checks the fields against the format. */
  public EvLayout {
    fields = List.copyOf(fields);
    int most = format.fieldBits().size();
    if (fields.isEmpty() || fields.size() > most) {
      throw new IllegalArgumentException("fields: " + fields.size() + ", allowed 1…" + most);
    }
    int sum = fields.stream().mapToInt(EvField::bits).sum();
    if (sum > format.bits()) {
      throw new IllegalArgumentException(
          "field widths: sum " + sum + ", allowed 1…" + format.bits());
    }
    for (int i = 0; i < fields.size(); i++) {
      int room = format.fieldBits().get(i);
      if (fields.get(i).bits() > room) {
        throw new IllegalArgumentException(
            "width of field " + i + ": " + fields.get(i).bits() + ", allowed 1…" + room);
      }
    }
  }

  /** Bits of a packed EV that are used: the ones in all masks. */
  public int packedBits() {
    return fields.stream().mapToInt(f -> Long.bitCount(f.mask())).sum();
  }

  /**
   * Expands a packed EV: for each set mask bit, most significant first, the EV's next most
   * significant bit replaces the bit of the initial value; fields are joined at the format's
   * widths, right-aligned in each, from the most significant bit on.
   *
   * @param packed {@link #BYTES} bytes
   * @return {@link #BYTES} bytes
   */
  public byte[] expand(byte[] packed) {
    if (packed.length != BYTES) {
      throw new IllegalArgumentException("ev: " + packed.length + " bytes, allowed " + BYTES);
    }
    byte[] out = new byte[BYTES];
    int from = 0;
    int to = 0;
    for (int i = 0; i < fields.size(); i++) {
      EvField field = fields.get(i);
      long value = field.initial();
      for (long left = field.mask(); left != 0; left &= ~Long.highestOneBit(left)) {
        long bit = Long.highestOneBit(left);
        boolean set = (packed[from >> 3] >> (7 - (from & 7)) & 1) != 0;
        value = set ? value | bit : value & ~bit;
        from++;
      }
      to += format.fieldBits().get(i);
      for (int bit = 0; bit < field.bits(); bit++) {
        int at = to - 1 - bit;
        out[at >> 3] |= (byte) ((value >>> bit & 1) << (7 - (at & 7)));
      }
    }
    return out;
  }
}

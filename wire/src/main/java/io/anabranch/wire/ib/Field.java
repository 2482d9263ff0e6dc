package io.anabranch.wire.ib;

import java.nio.ByteBuffer;

/**
 * One field of a header: where its bits lie and under which name it is shown. Constants of this
 * type are the only place where a layout is written down; codec, decoder and builders read it from
 * here. The buffer must be big-endian, as every new {@link ByteBuffer} is.
 *
 * @param name name in decoded output
 * @param offset first byte of the unit that holds the field, from the header's start
 * @param unitBytes bytes read at once: 1, 2, 3, 4 or 8
 * @param shift bits of the unit below the field
 * @param bits width, 1…64
 * @param kind how the value reads
 */
public record Field(String name, int offset, int unitBytes, int shift, int bits, Kind kind) {
  /** How a field's value is to be understood. */
  public enum Kind {
    /** Unsigned number. */
    NUMBER,
    /** Two's complement number. */
    SIGNED,
    /** Identifier, shown as hex digits of the full width. */
    HEX
  }

  /** Checks that the field lies within its unit. */
  public Field {
    boolean unit = unitBytes == 1 || unitBytes == 2 || unitBytes == 3 || unitBytes == 4;
    if (!unit && unitBytes != 8) {
      throw new IllegalArgumentException(name + ": unit of " + unitBytes + " bytes");
    }
    if (bits < 1 || shift < 0 || shift + bits > 8 * unitBytes) {
      throw new IllegalArgumentException(name + ": " + bits + " bits at " + shift);
    }
  }

  /** An unsigned field of {@code bytes} whole bytes. */
  public static Field number(String name, int offset, int bytes) {
    return new Field(name, offset, bytes, 0, 8 * bytes, Kind.NUMBER);
  }

  /** A signed field of {@code bytes} whole bytes. */
  public static Field signed(String name, int offset, int bytes) {
    return new Field(name, offset, bytes, 0, 8 * bytes, Kind.SIGNED);
  }

  /** An identifier of {@code bytes} whole bytes. */
  public static Field hex(String name, int offset, int bytes) {
    return new Field(name, offset, bytes, 0, 8 * bytes, Kind.HEX);
  }

  /** An unsigned field of {@code bits} bits within the byte at {@code offset}; bit 7 is highest. */
  public static Field bits(String name, int offset, int lowestBit, int bits) {
    return new Field(name, offset, 1, lowestBit, bits, Kind.NUMBER);
  }

  /** Ones in the field's width. */
  public long mask() {
    return -1L >>> (64 - bits);
  }

  /**
   * The value, sign-extended when the field is signed.
   *
   * @param at where the header begins in {@code in}
   */
  public long read(ByteBuffer in, int at) {
    long value = unit(in, at + offset) >>> shift & mask();
    return kind == Kind.SIGNED ? value << (64 - bits) >> (64 - bits) : value;
  }

  /** As {@link #read}, for fields of at most 32 bits. */
  public int readInt(ByteBuffer in, int at) {
    return (int) read(in, at);
  }

  /**
   * Stores the low bits of {@code value}; the unit's other bits stay.
   *
   * @param at where the header begins in {@code out}
   */
  public void write(ByteBuffer out, int at, long value) {
    int i = at + offset;
    long v = value;
    if (bits < 8 * unitBytes) {
      v = unit(out, i) & ~(mask() << shift) | (value & mask()) << shift;
    }
    switch (unitBytes) {
      case 1 -> out.put(i, (byte) v);
      case 2 -> out.putShort(i, (short) v);
      case 3 -> {
        out.putShort(i, (short) (v >>> 8));
        out.put(i + 2, (byte) v);
      }
      case 4 -> out.putInt(i, (int) v);
      default -> out.putLong(i, v);
    }
  }

  private long unit(ByteBuffer in, int i) {
    return switch (unitBytes) {
      case 1 -> in.get(i);
      case 2 -> in.getShort(i);
      case 3 -> (long) in.getShort(i) << 8 | (in.get(i + 2) & 0xff);
      case 4 -> in.getInt(i);
      default -> in.getLong(i);
    };
  }
}

package io.anabranch.tools.cli.decode;

import io.anabranch.wire.ib.Field;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Text under construction, as the bytes that go out; reused for the whole output. */
public final class Line {
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final int FLUSH_BYTES = 1 << 16;

  private byte[] bytes = new byte[2 * FLUSH_BYTES];
  private int length;

  /** An empty line. */
  public Line() {}

  private void room(int n) {
    if (bytes.length - length < n) {
      bytes = Arrays.copyOf(bytes, 2 * bytes.length + n);
    }
  }

  /** Appends text; anything beyond ASCII as UTF-8. */
  @SuppressWarnings("deprecation") // the one copy of ASCII text that makes no garbage
  public Line text(String s) {
    int n = s.length();
    for (int i = 0; i < n; i++) {
      if (s.charAt(i) > 0x7f) {
        byte[] utf8 = s.getBytes(StandardCharsets.UTF_8);
        room(utf8.length);
        System.arraycopy(utf8, 0, bytes, length, utf8.length);
        length += utf8.length;
        return this;
      }
    }
    room(n);
    s.getBytes(0, n, bytes, length);
    length += n;
    return this;
  }

  /** Appends one ASCII character. */
  public Line put(char c) {
    room(1);
    bytes[length++] = (byte) c;
    return this;
  }

  /** Appends a decimal number. */
  public Line number(long value) {
    if (value < 0) {
      return text(Long.toString(value));
    }
    return digits(value, 1);
  }

  /** Appends a decimal number ≥ 0 with leading zeros up to {@code width} digits. */
  public Line digits(long value, int width) {
    room(20);
    int n = 1;
    for (long v = value; v > 9; v /= 10) {
      n++;
    }
    n = Math.max(n, width);
    long v = value;
    for (int i = length + n - 1; i >= length; i--) {
      bytes[i] = (byte) ('0' + v % 10);
      v /= 10;
    }
    length += n;
    return this;
  }

  /** Appends {@code digits} hexadecimal digits. */
  public Line hex(long value, int digits) {
    room(16);
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
      bytes[length++] = HEX[(int) (value >>> shift) & 0xf];
    }
    return this;
  }

  /** Appends a field's value: decimal, or 0x and digits of the full width. */
  public Line value(Field field, long value) {
    if (field.kind() != Field.Kind.HEX) {
      return number(value);
    }
    return text("0x").hex(value, field.bits() + 3 >> 2);
  }

  /** Appends text as a JSON string. */
  public Line quoted(String s) {
    put('"');
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      if (c < 0x20 || c > 0x7e) {
        text("\\u").hex(c, 4);
      } else {
        if (c == '"' || c == '\\') {
          put('\\');
        }
        put(c);
      }
    }
    return put('"');
  }

  /** Whether enough has gathered to be written. */
  public boolean isFull() {
    return length >= FLUSH_BYTES;
  }

  /** Writes everything to {@code out} and begins anew. */
  public void drain(OutputStream out) throws IOException {
    out.write(bytes, 0, length);
    length = 0;
  }
}

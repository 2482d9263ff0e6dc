package io.anabranch.wire.pcap;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads pcapng (draft-ietf-opsawg-pcapng) and pcap captures of either byte order as a stream, in
 * bounded memory. The frame that {@link #next} found is described by the accessors until the next
 * call.
 *
 * <pre>
 * CaptureReader reader = CaptureReader.open(in);
 * while (true) {
 *   switch (reader.next()) {
 *     case FRAME -&gt; use(reader.data(), reader.timeNs());
 *     case DAMAGED -&gt; warn(reader.problem());
 *     case END -&gt; { return; }   // problem() says whether the capture was cut
 *   }
 * }
 * </pre>
 */
public final class CaptureReader implements Closeable {
  /** What {@link #next} met. */
  public enum Event {
    /** A frame. */
    FRAME,
    /** A record that was passed over; {@link #problem()} says why; reading goes on. */
    DAMAGED,
    /** Nothing follows; {@link #problem()} is null at a clean end. */
    END
  }

  /** Largest record that is read; a larger one is passed over. */
  public static final int MAX_RECORD_BYTES = 16 << 20;

  /** Most interfaces of one section; frames of further ones are passed over. */
  public static final int MAX_INTERFACES = 4096;

  private static final int MAX_NAME_BYTES = 255;

  private static final int SECTION = 0x0A0D0D0A;
  private static final int BYTE_ORDER_MAGIC = 0x1A2B3C4D;
  private static final int INTERFACE = 1;
  private static final int OBSOLETE_PACKET = 2;
  private static final int SIMPLE_PACKET = 3;
  private static final int ENHANCED_PACKET = 6;

  private static final int OPTION_END = 0;
  private static final int OPTION_NAME = 2;
  private static final int OPTION_TSRESOL = 9;
  private static final int OPTION_TSOFFSET = 14;

  private static final int PCAP_MICROSECONDS = 0xA1B2C3D4;
  private static final int PCAP_NANOSECONDS = 0xA1B23C4D;
  private static final int PCAP_HEADER = 24;
  private static final int PCAP_RECORD = 16;

  private record Interface(String name, int linkType, long snapBytes, Timebase time) {}

  private final Source in;
  private final boolean pcapng;
  private final List<Interface> interfaces = new ArrayList<>();
  private boolean ended;

  private long number;
  private long timeNs;
  private boolean timed;
  private int interfaceId;
  private long originalBytes;
  private ByteBuffer data = ByteBuffer.allocate(0);
  private @Nullable String problem;

  private CaptureReader(Source in, boolean pcapng) {
    this.in = in;
    this.pcapng = pcapng;
  }

  /**
   * Begins to read.
   *
   * @throws NotACaptureException when the stream holds neither pcapng nor pcap
   */
  public static CaptureReader open(InputStream stream) throws IOException {
    Source in = new Source(stream);
    if (!in.has(4)) {
      throw new NotACaptureException(
          in.buffered() == 0 ? "empty" : "only " + in.buffered() + " bytes");
    }
    int magic = in.i32(0);
    if (magic == SECTION) {
      return new CaptureReader(in, true);
    }
    if (magic >>> 16 == 0x1f8b) {
      throw new NotACaptureException("compressed with gzip; unpack it first");
    }
    boolean swapped = isPcap(Integer.reverseBytes(magic));
    if (!swapped && !isPcap(magic)) {
      throw new NotACaptureException(
          "neither pcapng nor pcap (it begins with %08x)".formatted(magic));
    }
    if (!in.has(PCAP_HEADER)) {
      throw new NotACaptureException("pcap header cut after " + in.buffered() + " bytes");
    }
    in.order(swapped ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
    CaptureReader reader = new CaptureReader(in, false);
    boolean ns = in.i32(0) == PCAP_NANOSECONDS;
    // The upper half of the link type tells about frame check sequences.
    Timebase time = new Timebase(ns ? 9 : 6, 0);
    reader.interfaces.add(new Interface("", in.i32(20) & 0xffff, in.u32(16), time));
    in.advance(PCAP_HEADER);
    return reader;
  }

  private static boolean isPcap(int magic) {
    return magic == PCAP_MICROSECONDS || magic == PCAP_NANOSECONDS;
  }

  /** Moves to the next frame or damage, or to the end. */
  public Event next() throws IOException {
    problem = null;
    if (ended) {
      return Event.END;
    }
    return pcapng ? nextBlock() : nextRecord();
  }

  private Event end(@Nullable String why) {
    ended = true;
    problem = why;
    return Event.END;
  }

  private Event damaged(String why) {
    problem = why;
    return Event.DAMAGED;
  }

  private Event cut(String what, long at) {
    return end("the capture ends within the " + what + " at byte " + at);
  }

  private Event nextRecord() throws IOException {
    long at = in.offset();
    if (!in.has(PCAP_RECORD)) {
      return in.buffered() == 0 ? end(null) : cut("record", at);
    }
    long captured = in.u32(8);
    if (captured > MAX_RECORD_BYTES) {
      // In pcap nothing but this length leads to the next record: it cannot be trusted.
      return end("record at byte " + at + ": " + captured + " bytes, allowed " + MAX_RECORD_BYTES);
    }
    int bytes = (int) captured;
    if (!in.has(PCAP_RECORD + bytes)) {
      return cut("record", at);
    }
    Interface source = interfaces.getFirst();
    long unitsPerS = source.time.resolution() == 9 ? 1_000_000_000L : 1_000_000L;
    long units = in.u32(0) * unitsPerS + in.u32(4);
    frame(0, units, true, PCAP_RECORD, bytes, in.u32(12));
    in.advance(PCAP_RECORD + bytes);
    return Event.FRAME;
  }

  private void frame(int id, long units, boolean timed, int at, int bytes, long original) {
    number++;
    interfaceId = id;
    this.timed = timed;
    timeNs = timed ? interfaces.get(id).time.toNs(units) : 0;
    data = in.view(at, bytes);
    originalBytes = Math.max(original, bytes);
  }

  private Event nextBlock() throws IOException {
    while (true) {
      long at = in.offset();
      if (!in.has(12)) {
        return in.buffered() == 0 ? end(null) : cut("block", at);
      }
      int type = in.i32(0);
      if (type == SECTION && !sectionOrder()) {
        return end("section at byte " + at + ": no byte-order magic");
      }
      long length = in.u32(4);
      if (length < 12 || length % 4 != 0) {
        return end(
            "block at byte " + at + ": length " + length + ", allowed multiples of 4 from 12");
      }
      if (length > MAX_RECORD_BYTES) {
        String why = "block at byte " + at + ": " + length + " bytes, allowed " + MAX_RECORD_BYTES;
        return in.skip(length) ? damaged(why) : cut("block", at);
      }
      int bytes = (int) length;
      if (!in.has(bytes)) {
        return cut("block", at);
      }
      String wrong = null;
      boolean frame = false;
      if (in.u32(bytes - 4) != length) {
        wrong = "its two lengths differ";
      } else {
        switch (type) {
          case SECTION -> {
            interfaces.clear();
            wrong = bytes < 28 ? "too short for a section" : wrongVersion();
            if (wrong != null) {
              return end("section at byte " + at + ": " + wrong);
            }
          }
          case INTERFACE -> wrong = addInterface(bytes);
          case ENHANCED_PACKET -> {
            frame = true;
            wrong = packet(bytes, 28, bytes < 32 ? 0 : in.i32(8));
          }
          case OBSOLETE_PACKET -> {
            frame = true;
            wrong = packet(bytes, 28, bytes < 32 ? 0 : in.u16(8));
          }
          case SIMPLE_PACKET -> {
            frame = true;
            wrong = simplePacket(bytes);
          }
          default -> {
            // Names, statistics, and whatever comes later: not needed here.
          }
        }
      }
      in.advance(bytes);
      if (wrong != null) {
        return damaged("block at byte " + at + ": " + wrong);
      }
      if (frame) {
        return Event.FRAME;
      }
    }
  }

  private boolean sectionOrder() {
    in.order(ByteOrder.BIG_ENDIAN);
    int magic = in.i32(8);
    if (magic == Integer.reverseBytes(BYTE_ORDER_MAGIC)) {
      in.order(ByteOrder.LITTLE_ENDIAN);
      return true;
    }
    return magic == BYTE_ORDER_MAGIC;
  }

  private @Nullable String wrongVersion() {
    int major = in.u16(12);
    return major == 1 ? null : "pcapng version " + major + ", allowed 1";
  }

  private @Nullable String addInterface(int bytes) {
    if (bytes < 20) {
      return "too short for an interface";
    }
    if (interfaces.size() == MAX_INTERFACES) {
      return "more than " + MAX_INTERFACES + " interfaces";
    }
    String name = "";
    int resolution = Timebase.MICROSECONDS.resolution();
    long offsetS = 0;
    int at = 16;
    int end = bytes - 4;
    while (end - at >= 4) {
      int code = in.u16(at);
      int length = in.u16(at + 2);
      at += 4;
      if (code == OPTION_END || length > end - at) {
        break;
      }
      if (code == OPTION_NAME) {
        name = in.text(at, Math.min(length, MAX_NAME_BYTES));
      } else if (code == OPTION_TSRESOL && length == 1) {
        resolution = in.u8(at);
      } else if (code == OPTION_TSOFFSET && length == 8) {
        offsetS = in.i64(at);
      }
      at += length + 3 & ~3;
    }
    Timebase time = new Timebase(resolution, offsetS);
    interfaces.add(new Interface(name, in.u16(8), in.u32(12), time));
    return null;
  }

  private @Nullable String packet(int bytes, int header, int id) {
    if (bytes < header + 4) {
      return "too short for a packet";
    }
    if (id < 0 || id >= interfaces.size()) {
      return "interface " + Integer.toUnsignedString(id) + " was not described";
    }
    long captured = in.u32(20);
    if (captured > bytes - header - 4) {
      return captured + " captured bytes do not fit it";
    }
    long units = in.u32(12) << 32 | in.u32(16);
    frame(id, units, true, header, (int) captured, in.u32(24));
    return null;
  }

  private @Nullable String simplePacket(int bytes) {
    if (bytes < 16) {
      return "too short for a packet";
    }
    if (interfaces.isEmpty()) {
      return "interface 0 was not described";
    }
    long snap = interfaces.getFirst().snapBytes;
    long original = in.u32(8);
    long captured = Math.min(original, snap == 0 ? original : snap);
    if (captured > bytes - 16) {
      return captured + " captured bytes do not fit it";
    }
    frame(0, 0, false, 12, (int) captured, original);
    return null;
  }

  /** Frames so far; the first has number 1. */
  public long number() {
    return number;
  }

  /** Whether the frame has a time; one in a simple packet block has none. */
  public boolean isTimed() {
    return timed;
  }

  /** Time of the frame in nanoseconds since 1970, 0 when it has none. */
  public long timeNs() {
    return timeNs;
  }

  /** Number of the interface within its section, from 0. */
  public int interfaceId() {
    return interfaceId;
  }

  /** Name of the interface, empty where the capture tells none. */
  public String interfaceName() {
    return interfaces.get(interfaceId).name;
  }

  /** Link type of the frame, as the tcpdump project numbers them. */
  public int linkType() {
    return interfaces.get(interfaceId).linkType;
  }

  /** Bytes the frame had; more than {@link #data()} holds when the capture cut it. */
  public long originalBytes() {
    return originalBytes;
  }

  /** The bytes captured, big-endian, between position and limit; valid until the next call. */
  public ByteBuffer data() {
    return data;
  }

  /**
   * What was wrong, after {@link Event#DAMAGED} and after an {@link Event#END} that was not clean.
   */
  public @Nullable String problem() {
    return problem;
  }

  /** Whether {@link #next} must first wait for the stream. */
  public boolean isDrained() {
    return in.buffered() == 0;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}

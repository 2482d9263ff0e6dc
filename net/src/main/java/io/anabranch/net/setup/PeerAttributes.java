package io.anabranch.net.setup;

import io.anabranch.engine.config.Check;
import io.anabranch.engine.config.PlaneAddress;
import io.anabranch.engine.config.ResponderAttributes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What one side tells the other: the attributes that MRC leaves to an out-of-band exchange.
 *
 * @param protocolVersion MRC's version; 1
 * @param qps its queue pairs, in the order in which both sides pair them, 0 … 1024
 * @param mtuBytes largest path MTU its interfaces carry, 256 … 8192
 * @param planes where each of its ports is reached, 1 … 32
 * @param receiveBufferBytes payload that may wait at it, all ports together, at least 1
 * @param maxWimm WRITEs with Immediate that it takes in flight as responder, 32 … 4096
 * @param mprPackets PSN window that it grants as responder: a multiple of 128, 8 … 255 units
 * @param dynamicMpr whether its SACKs may carry the current MPR
 * @param trimNack whether it answers trimmed packets with a NACK
 * @param serviceTime whether it reports its service time
 * @param regions memory that the peer may write to, 0 … 1024
 * @param application bytes that only the applications understand, at most 64 KiB; read-only
 */
public record PeerAttributes(
    int protocolVersion,
    List<Qp> qps,
    int mtuBytes,
    List<PlaneAddress> planes,
    long receiveBufferBytes,
    int maxWimm,
    int mprPackets,
    boolean dynamicMpr,
    boolean trimNack,
    boolean serviceTime,
    List<Region> regions,
    ByteBuffer application) {
  /** Most queue pairs, and most regions, of one set-up. */
  public static final int MAX_ENTRIES = 1024;

  /** Most bytes of the application's part. */
  public static final int MAX_APPLICATION_BYTES = 64 << 10;

  /** Most bytes of an encoded form. */
  static final int MAX_BYTES = 128 + MAX_ENTRIES * (8 + 20) + 32 * 18 + MAX_APPLICATION_BYTES;

  private static final int DYNAMIC_MPR = 1;
  private static final int TRIM_NACK = 2;
  private static final int SERVICE_TIME = 4;

  /**
   * A queue pair.
   *
   * @param number its QP number, 3 … 2^24 − 1
   * @param startPsn PSN of the first packet that it sends
   */
  public record Qp(int number, int startPsn) {
    /** Checks ranges. */
    public Qp {
      Check.range("qp.number", number, 3, 0xff_ffff);
      Check.range("qp.startPsn", startPsn, 0, 0xff_ffff);
    }
  }

  /**
   * A memory region.
   *
   * @param rKey the key that writes name
   * @param address address of its first byte
   * @param lengthBytes bytes, at least 0
   */
  public record Region(int rKey, long address, long lengthBytes) {
    /** Checks ranges. */
    public Region {
      Check.range("region.lengthBytes", lengthBytes, 0, Long.MAX_VALUE);
    }
  }

  /** Checks ranges and copies. */
  public PeerAttributes {
    qps = List.copyOf(qps);
    planes = List.copyOf(planes);
    regions = List.copyOf(regions);
    Check.range("protocolVersion", protocolVersion, 1, 1);
    Check.range("qps.size", qps.size(), 0, MAX_ENTRIES);
    Check.range("mtuBytes", mtuBytes, 256, 8192);
    Check.range("planes.size", planes.size(), 1, 32);
    Check.range("receiveBufferBytes", receiveBufferBytes, 1, Long.MAX_VALUE);
    Check.range("maxWimm", maxWimm, 32, 4096);
    int unit = ResponderAttributes.MPR_UNIT;
    Check.range("mprPackets", mprPackets, 8L * unit, 255L * unit);
    if (mprPackets % unit != 0) {
      throw new IllegalArgumentException(
          "mprPackets: " + mprPackets + ", allowed multiples of " + unit);
    }
    Check.range("regions.size", regions.size(), 0, MAX_ENTRIES);
    Check.range("application.remaining", application.remaining(), 0, MAX_APPLICATION_BYTES);
    byte[] copy = new byte[application.remaining()];
    application.get(application.position(), copy);
    application = ByteBuffer.wrap(copy).asReadOnlyBuffer();
  }

  /** The application's part; a view of its own for every caller. */
  @Override
  public ByteBuffer application() {
    return application.duplicate();
  }

  /** The path MTU that both sides carry. */
  public int agreedMtuBytes(PeerAttributes peer) {
    return Math.min(mtuBytes, peer.mtuBytes);
  }

  /** Planes that both sides have. */
  public int commonPlanes(PeerAttributes peer) {
    return Math.min(planes.size(), peer.planes.size());
  }

  byte[] encode() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeShort(protocolVersion);
      out.writeShort(qps.size());
      for (Qp qp : qps) {
        out.writeInt(qp.number);
        out.writeInt(qp.startPsn);
      }
      out.writeShort(mtuBytes);
      out.writeByte(planes.size());
      for (PlaneAddress plane : planes) {
        out.writeLong(plane.hi());
        out.writeLong(plane.lo());
        out.writeShort(plane.udpPort());
      }
      out.writeLong(receiveBufferBytes);
      out.writeInt(maxWimm);
      out.writeInt(mprPackets);
      int flags = dynamicMpr ? DYNAMIC_MPR : 0;
      flags |= trimNack ? TRIM_NACK : 0;
      flags |= serviceTime ? SERVICE_TIME : 0;
      out.writeByte(flags);
      out.writeShort(regions.size());
      for (Region region : regions) {
        out.writeInt(region.rKey);
        out.writeLong(region.address);
        out.writeLong(region.lengthBytes);
      }
      out.writeInt(application.remaining());
      byte[] app = new byte[application.remaining()];
      application.get(application.position(), app);
      out.write(app);
    } catch (IOException e) {
      throw new UncheckedIOException("memory does not fail", e);
    }
    return bytes.toByteArray();
  }

  /** Reads what {@link #encode} wrote; sizes are checked before anything is made of them. */
  static PeerAttributes decode(byte[] bytes) throws ExchangeException {
    ByteArrayInputStream source = new ByteArrayInputStream(bytes);
    try (DataInputStream in = new DataInputStream(source)) {
      int version = in.readUnsignedShort();
      if (version != 1) {
        throw new ExchangeException(
            ExchangeException.Reason.VERSION, "protocolVersion: " + version + ", allowed 1…1");
      }
      int count = (int) Check.range("qps.size", in.readUnsignedShort(), 0, MAX_ENTRIES);
      List<Qp> qps = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        qps.add(new Qp(in.readInt(), in.readInt()));
      }
      int mtu = in.readUnsignedShort();
      count = (int) Check.range("planes.size", in.readUnsignedByte(), 1, 32);
      List<PlaneAddress> planes = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        planes.add(new PlaneAddress(in.readLong(), in.readLong(), in.readUnsignedShort()));
      }
      long buffer = in.readLong();
      int wimm = in.readInt();
      int mpr = in.readInt();
      int flags = in.readUnsignedByte();
      count = (int) Check.range("regions.size", in.readUnsignedShort(), 0, MAX_ENTRIES);
      List<Region> regions = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        regions.add(new Region(in.readInt(), in.readLong(), in.readLong()));
      }
      int length =
          (int) Check.range("application.remaining", in.readInt(), 0, MAX_APPLICATION_BYTES);
      byte[] app = in.readNBytes(length);
      if (app.length < length || source.available() > 0) {
        throw new ExchangeException(
            ExchangeException.Reason.MALFORMED,
            "attributes: " + bytes.length + " bytes do not fit what is in them");
      }
      return new PeerAttributes(
          version,
          qps,
          mtu,
          planes,
          buffer,
          wimm,
          mpr,
          (flags & DYNAMIC_MPR) != 0,
          (flags & TRIM_NACK) != 0,
          (flags & SERVICE_TIME) != 0,
          regions,
          ByteBuffer.wrap(app));
    } catch (IllegalArgumentException e) {
      throw new ExchangeException(
          ExchangeException.Reason.MALFORMED, "peer's attributes: " + e.getMessage(), e);
    } catch (EOFException e) {
      throw new ExchangeException(
          ExchangeException.Reason.MALFORMED,
          "peer's attributes end after " + bytes.length + " bytes",
          e);
    } catch (ExchangeException e) {
      throw e;
    } catch (IOException e) {
      throw new UncheckedIOException("memory does not fail", e);
    }
  }
}

package io.anabranch.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The vectors in the test resources; their README says where they came from. */
public final class Vectors {
  private Vectors() {}

  /** One entry of wire.json. */
  public record Entry(String name, String level, JsonNode fields, String hex) {
    /** Whether a decoder must refuse it. */
    public boolean reject() {
      return fields.has("reject");
    }

    /** The bytes in a direct buffer. */
    public ByteBuffer bytes() {
      return direct(hex);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /** The whole content of a resource. */
  public static byte[] resource(String name) {
    try (InputStream in = Vectors.class.getResourceAsStream("/vectors/" + name)) {
      if (in == null) {
        throw new IllegalStateException("no resource " + name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A parsed JSON resource. */
  public static JsonNode json(String name) {
    return JsonMapper.shared().readTree(resource(name));
  }

  /** The entries of wire.json on {@code level}. */
  public static List<Entry> wire(String level) {
    return json("wire.json")
        .valueStream()
        .map(e ->
            new Entry(
                e.get("name").asString(),
                e.get("level").asString(),
                e.get("fields"),
                e.get("hex").asString()))
        .filter(e -> e.level().equals(level))
        .toList();
  }

  /** A direct buffer with these bytes, ready to read. */
  public static ByteBuffer direct(String hex) {
    return direct(HexFormat.of().parseHex(hex));
  }

  /** A direct buffer with these bytes, ready to read. */
  public static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  /** The bytes between position and limit as hex. */
  public static String hex(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(buffer.position(), bytes);
    return HexFormat.of().formatHex(bytes);
  }
}

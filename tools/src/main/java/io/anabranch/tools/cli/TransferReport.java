package io.anabranch.tools.cli;

import io.anabranch.tools.transfer.Summary;
import io.anabranch.tools.transfer.Traffic;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** How a transfer went, for people and as JSON. */
final class TransferReport {
  private static final int VERSION = 1;
  private static final int MAX_LINES = 10;

  private TransferReport() {}

  /** A line on the whole, and one a file if they are few, as sha256sum prints them. */
  static void print(PrintWriter out, String verb, Summary s) {
    if (s.hashes().size() <= MAX_LINES && s.hashes().size() == s.files()) {
      for (Summary.FileHash file : s.hashes()) {
        out.println(file.sha256() + "  " + harmless(file.name()));
      }
    }
    out.println(
        String.format(
            Locale.ROOT,
            "%s %s: %d %s, %s in %.2f s, %.0f Mbit/s; %d packets sent again%s",
            verb,
            s.peer(),
            s.files(),
            s.files() == 1 ? "file" : "files",
            size(s.bytes()),
            s.seconds(),
            s.goodputMbps(),
            s.traffic().retransmitted(),
            s.verified() ? "" : "; content not verified"));
    out.flush();
  }

  /** Bytes in the unit that suits them. */
  static String size(long bytes) {
    if (bytes < 1024) {
      return bytes + " B";
    }
    double value = bytes;
    int unit = -1;
    while (value >= 1024 && unit < 4) {
      value /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, "%.1f %ciB", value, "KMGTP".charAt(unit));
  }

  private static String harmless(String name) {
    StringBuilder clean = new StringBuilder(name.length());
    name.codePoints().forEach(c -> clean.appendCodePoint(Character.isISOControl(c) ? '?' : c));
    return clean.toString();
  }

  /** Writes the document; {@code file}: a path, or '-' for {@code out}. */
  static void write(String file, PrintWriter out, String command, @Nullable Summary summary)
      throws IOException {
    JsonMapper mapper = new JsonMapper();
    ObjectNode document = mapper.createObjectNode();
    document.put("version", VERSION).put("command", command);
    if (summary == null) {
      document.put("result", "FAIL").put("reason", "there was no transfer");
    } else {
      fill(document, mapper, summary);
    }
    String text = mapper.writerWithDefaultPrettyPrinter().writeValueAsString(document) + "\n";
    if (file.equals("-")) {
      out.print(text);
      out.flush();
    } else {
      Files.writeString(Path.of(file), text);
    }
  }

  private static void fill(ObjectNode document, JsonMapper mapper, Summary s) {
    document.put("peer", s.peer()).put("files", s.files()).put("directories", s.directories());
    document.put("bytes", s.bytes()).put("bytes_done", s.bytesDone());
    document.put("verified", s.verified());
    ArrayNode hashes = document.putArray("sha256");
    for (Summary.FileHash file : s.hashes()) {
      ObjectNode node = hashes.addObject();
      node.put("name", file.name()).put("bytes", file.bytes()).put("sha256", file.sha256());
    }
    document.put("sha256_left_out", s.succeeded() ? s.files() - s.hashes().size() : s.files());
    document.put("seconds", round(s.seconds())).put("goodput_mbps", round(s.goodputMbps()));
    document.put("qps", s.qps()).put("seed", s.seed());
    Traffic traffic = s.traffic();
    document.put("data_packets", traffic.dataPackets());
    document.put("retransmitted", traffic.retransmitted());
    document.put("loop_gap_ms_max", round(traffic.loopGapNs() / 1e6));
    ObjectNode planes = mapper.createObjectNode();
    for (int p = 0; p < traffic.planes().size(); p++) {
      Traffic.Plane plane = traffic.planes().get(p);
      ObjectNode node = planes.putObject(Integer.toString(p + 1));
      node.put("address", plane.address()).put("usable", plane.usable());
      node.put("data_packets", plane.dataPackets()).put("packets_sent", plane.packetsSent());
      node.put("packets_received", plane.packetsReceived());
      node.put("bytes_received", plane.bytesReceived());
    }
    document.set("planes", planes);
    document.put("result", s.succeeded() ? "PASS" : "FAIL");
    if (s.reason() != null) {
      document.put("reason", s.reason());
    }
  }

  private static double round(double value) {
    return Math.round(value * 1000) / 1000.0;
  }
}

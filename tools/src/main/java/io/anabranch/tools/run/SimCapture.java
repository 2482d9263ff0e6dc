package io.anabranch.tools.run;

import io.anabranch.fabric.PacketTap;
import io.anabranch.fabric.topology.Topology;
import io.anabranch.tools.scenario.Scenario;
import io.anabranch.wire.ip.LinkView;
import io.anabranch.wire.pcap.PcapngWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Captures of a run: packets that pass a host's port both ways, or leave a port for a link, in
 * pcapng files with simulated time, one interface a link. When a file fails, the run ends.
 */
public final class SimCapture implements PacketTap, AutoCloseable {
  private static final Pattern PORT = Pattern.compile("([0-9]{1,7}):([0-9]{1,2})");
  private static final int PS_PER_NS = 1000;

  private record File(WholeFile whole, PcapngWriter writer) {}

  private final Topology wiring;
  private final int snapBytes;
  private final List<Point> points = new ArrayList<>();
  private final List<File> fileOf = new ArrayList<>();
  private final List<Integer> interfaceOf = new ArrayList<>();
  private final TreeMap<Path, File> files = new TreeMap<>();
  private @Nullable IOException failure;

  /**
   * Nothing is captured yet.
   *
   * @param snapBytes of each packet at most are kept
   */
  public SimCapture(Scenario scenario, int snapBytes) {
    wiring = scenario.topology().wiring(scenario.transport().routing(), scenario.seed());
    this.snapBytes = snapBytes;
  }

  /**
   * Adds a capture: {@code HOST:PLANE=FILE}, planes counted from 1, or {@code LINK=FILE}. The same
   * file may be named again.
   *
   * @throws IllegalArgumentException saying what is allowed
   * @throws IOException when the file cannot be made
   */
  public void add(String text) throws IOException {
    int equals = text.indexOf('=');
    if (equals < 1 || equals + 1 == text.length()) {
      throw refused(text);
    }
    String where = text.substring(0, equals);
    List<Point> found = new ArrayList<>();
    Matcher port = PORT.matcher(where);
    if (port.matches()) {
      int host = Integer.parseInt(port.group(1));
      int plane = Integer.parseInt(port.group(2));
      if (host >= wiring.hosts() || plane < 1 || plane > wiring.planes()) {
        throw refused(text);
      }
      int out = wiring.hostLink(host, plane - 1);
      found.add(new Point(out, false));
      found.add(new Point(wiring.reverse(out), true));
    } else {
      int link = wiring.linkNamed(where);
      if (link == Topology.NO_ROUTE) {
        throw refused(text);
      }
      found.add(new Point(link, false));
    }
    Path path = Path.of(text.substring(equals + 1)).toAbsolutePath().normalize();
    File file = files.get(path);
    if (file == null) {
      WholeFile whole = new WholeFile(path);
      file = new File(whole, new PcapngWriter(whole.stream()));
      files.put(path, file);
    }
    for (Point point : found) {
      points.add(point);
      fileOf.add(file);
      interfaceOf.add(file.writer.addInterface(wiring.name(point.link()), LinkView.RAW));
    }
  }

  private IllegalArgumentException refused(String text) {
    return new IllegalArgumentException(
        "'"
            + text
            + "', allowed HOST:PORT=FILE, hosts 0…"
            + (wiring.hosts() - 1)
            + ", ports 1…"
            + wiring.planes()
            + ", or LINK=FILE, such as "
            + wiring.name(0)
            + "=a.pcapng or "
            + wiring.name(wiring.links() - 1)
            + "=b.pcapng");
  }

  /** What the fabric is to hand over. */
  Taps taps() {
    return new Taps(points, this);
  }

  @Override
  public void packet(int point, long nowPs, ByteBuffer packet) {
    if (failure != null) {
      return;
    }
    int bytes = packet.remaining();
    packet.limit(packet.position() + Math.min(bytes, snapBytes));
    try {
      fileOf.get(point).writer.write(interfaceOf.get(point), nowPs / PS_PER_NS, packet, bytes);
    } catch (IOException e) {
      failure = e;
    }
  }

  /** Fails as soon as a file has failed. */
  void check() throws IOException {
    if (failure != null) {
      throw failure;
    }
  }

  /** All packets have passed: the files take their places. */
  void finish() throws IOException {
    check();
    for (File file : files.values()) {
      file.writer.flush();
      file.whole.finish();
    }
  }

  /** Unless they were finished, nothing is left of the files. */
  @Override
  public void close() throws IOException {
    for (File file : files.values()) {
      file.whole.close();
    }
  }
}

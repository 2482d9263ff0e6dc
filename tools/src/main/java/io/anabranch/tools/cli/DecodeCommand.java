package io.anabranch.tools.cli;

import io.anabranch.tools.cli.decode.JsonFormat;
import io.anabranch.tools.cli.decode.Line;
import io.anabranch.tools.cli.decode.Packet;
import io.anabranch.tools.cli.decode.PacketFilter;
import io.anabranch.tools.cli.decode.PacketFormat;
import io.anabranch.tools.cli.decode.QpSummary;
import io.anabranch.tools.cli.decode.TextFormat;
import io.anabranch.wire.ip.LinkView;
import io.anabranch.wire.pcap.CaptureReader;
import io.anabranch.wire.pcap.NotACaptureException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mrc decode}: shows the MRC and RoCEv2 packets of a capture. */
@Command(
    name = "decode",
    description = "Show the MRC and RoCEv2 packets of a pcapng or pcap capture.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "Filter expressions: FIELD OP VALUE, joined by and, or, not and parentheses;",
      "OP is = != < <= > or >=; fields are named as in the JSON output, plus qp and usid:",
      "  qp=0x123 and opcode=SACK      psn>=100 and not rtx=1",
      "  opcode=WRITE and (ev=0x5a5ac0de or usid=0x0101)",
      "  icrc=bad      src=2001:db8::1      error=TRUNCATED      reason=1",
      "A packet that lacks the field does not match.",
    })
public final class DecodeCommand implements Callable<Integer> {
  private static final int MAX_WARNINGS = 10;

  @Spec private @Nullable CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "A capture; '-' for standard input.")
  private String file = "-";

  @Option(names = "--json", description = "One JSON object a line, with every field.")
  private boolean json;

  @Option(
      names = "--filter",
      paramLabel = "EXPR",
      description = "Show and count only packets that match; see below.")
  private @Nullable String filter;

  @Option(
      names = "--summary",
      description = "At the end, per QP: gaps, retransmissions, spread of EVs (standard error).")
  private boolean summary;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = {
        "A UDP port that MRC runs on, beside 4791 and 4971; may be repeated.",
        "Other ports are found by their packets' ICRC."
      })
  private int[] ports = {};

  private long warnings;
  private long others;

  private final OutputStream out;

  /** The command, writing to standard output; picocli fills it. */
  public DecodeCommand() {
    // Not System.out, which keeps to itself why a write failed.
    this(new FileOutputStream(FileDescriptor.out));
  }

  /** The command, writing to {@code out}. */
  DecodeCommand(OutputStream out) {
    this.out = out;
  }

  @Override
  public Integer call() throws IOException {
    for (int port : ports) {
      if (port < 0 || port > 0xffff) {
        throw wrongUse("--port: " + port + ", allowed 0…65535");
      }
    }
    PacketFilter.Condition condition = condition();
    try (InputStream in = open();
        CaptureReader reader = CaptureReader.open(in)) {
      return decode(reader, condition);
    } catch (ClosedPipe e) {
      // A reader that has seen enough: no reason to complain.
      return 0;
    } catch (NotACaptureException e) {
      throw new Failure(shownName() + ": not a capture: " + e.getMessage());
    }
  }

  private CommandSpec spec() {
    if (spec == null) {
      throw new IllegalStateException("not run by picocli");
    }
    return spec;
  }

  private ParameterException wrongUse(String message) {
    return new ParameterException(spec().commandLine(), message);
  }

  private PacketFilter.Condition condition() {
    if (filter == null) {
      return packet -> true;
    }
    try {
      return PacketFilter.parse(filter);
    } catch (PacketFilter.SyntaxException e) {
      throw wrongUse("--filter: position " + e.position() + ": " + e.getMessage());
    }
  }

  private InputStream open() throws IOException {
    if (file.equals("-")) {
      return System.in;
    }
    Path path = Path.of(file);
    if (Files.isDirectory(path)) {
      throw new Failure(file + ": is a directory");
    }
    return Files.newInputStream(path);
  }

  private String shownName() {
    return file.equals("-") ? "standard input" : file;
  }

  private int decode(CaptureReader reader, PacketFilter.Condition condition) throws IOException {
    PacketFormat format = json ? new JsonFormat() : new TextFormat();
    Packet packet = new Packet(ports);
    QpSummary counts = summary ? new QpSummary() : null;
    Line line = new Line();
    int exit = 0;
    boolean more = true;
    while (more) {
      if (reader.isDrained()) {
        // The next packet may be long in coming: what is there must be seen before.
        drain(line);
      }
      switch (reader.next()) {
        case FRAME -> {
          Packet.Kind kind = packet.read(reader);
          if (kind == Packet.Kind.OTHER) {
            others++;
            unknownLink(reader.linkType());
          } else if (condition.matches(packet)) {
            format.append(packet, line);
            if (counts != null) {
              counts.add(packet, kind);
            }
          }
        }
        case DAMAGED -> warn(reader.problem());
        case END -> {
          more = false;
          if (reader.problem() != null) {
            warn(reader.problem());
            exit = 1;
          }
        }
      }
      if (line.isFull()) {
        drain(line);
      }
    }
    drain(line);
    end(counts);
    return exit;
  }

  private static final class ClosedPipe extends IOException {
    private static final long serialVersionUID = 1L;
  }

  private void drain(Line line) throws IOException {
    try {
      line.drain(out);
    } catch (IOException e) {
      String why = String.valueOf(e.getMessage());
      // The system's own words are all that tells a closed pipe from a full disk.
      throw why.toLowerCase(Locale.ROOT).contains("pipe")
          ? new ClosedPipe()
          : new IOException("standard output: " + why, e);
    }
  }

  private void unknownLink(int linkType) {
    if (others == 1 && !LinkView.isKnown(linkType)) {
      warn("link type " + linkType + " is not known; its frames are passed over");
    }
  }

  private void warn(@Nullable String problem) {
    if (++warnings <= MAX_WARNINGS) {
      PrintWriter err = spec().commandLine().getErr();
      err.println(spec().qualifiedName() + ": " + shownName() + ": " + problem);
    }
  }

  private void end(@Nullable QpSummary counts) {
    PrintWriter err = spec().commandLine().getErr();
    String name = spec().qualifiedName();
    if (warnings > MAX_WARNINGS) {
      err.println(name + ": " + (warnings - MAX_WARNINGS) + " more such lines left out");
    }
    if (counts != null) {
      counts.print(err);
    }
    if (others > 0) {
      err.println(name + ": " + others + " frames passed over, neither MRC nor RoCEv2");
    }
    err.flush();
  }
}

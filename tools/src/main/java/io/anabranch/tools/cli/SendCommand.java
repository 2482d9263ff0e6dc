package io.anabranch.tools.cli;

import io.anabranch.tools.transfer.FileList;
import io.anabranch.tools.transfer.HostPort;
import io.anabranch.tools.transfer.Rate;
import io.anabranch.tools.transfer.Sender;
import io.anabranch.tools.transfer.Summary;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mrc send}: sends files to a receiver. */
@Command(
    name = "send",
    description = "Send files and folders to an 'mrc recv'.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "HOST is a name, an IPv4 address, or an IPv6 address in brackets; PORT is 4791 if not told.",
      "A symbolic link named as PATH is followed; one inside a folder is refused.",
      "Exit code 0: everything is there, verified unless --no-hash; 1: nothing of it."
    })
public final class SendCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Mixin private TransferOptions options = new TransferOptions();

  @Parameters(
      arity = "2..*",
      paramLabel = "PATH... HOST[:PORT]",
      hideParamSyntax = true,
      description = "What to send, and last: to whom.")
  private List<String> arguments = List.of();

  @Option(
      names = "--qps",
      paramLabel = "N",
      description = "Queue pairs that share the work, 1 to 16 (default: 1).")
  private int qps = 1;

  @Option(
      names = "--no-hash",
      description =
          "Hash nothing, which takes less CPU: the content is not verified, unless the receiver"
              + " insists.")
  private boolean noHash;

  @Option(
      names = "--rate",
      paramLabel = "RATE",
      description = "Send no faster than this, as 500Mbps or 1Gbps (default: no limit).")
  private @Nullable String rate;

  /** The command; picocli fills it. */
  public SendCommand() {}

  @Override
  public Integer call() throws IOException {
    if (spec == null) {
      throw new IllegalStateException("not run by picocli");
    }
    if (qps < 1 || qps > Sender.maxQps()) {
      throw wrongUse(spec, "--qps: " + qps + ", allowed 1…" + Sender.maxQps());
    }
    HostPort to;
    long bps;
    List<Path> paths = new ArrayList<>();
    try {
      to = HostPort.parse(arguments.getLast());
      bps = rate == null ? 0 : Rate.parse(rate);
      for (String argument : arguments.subList(0, arguments.size() - 1)) {
        paths.add(Path.of(argument));
      }
    } catch (InvalidPathException e) {
      throw wrongUse(spec, "'" + e.getInput() + "': " + e.getReason());
    } catch (IllegalArgumentException e) {
      throw wrongUse(spec, String.valueOf(e.getMessage()));
    }
    if (to.host().isEmpty() || to.port() == 0) {
      throw wrongUse(spec, "'" + arguments.getLast() + "': host and port cannot be left open");
    }
    var planes = options.planes();
    var fault = options.fault();
    var token = options.token();
    FileList list = FileList.of(paths);
    Sender.Config config =
        new Sender.Config(resolve(to), planes, qps, bps, !noHash, fault, options.seed(), token);
    return send(spec, new Sender(config, list), list.bytes());
  }

  private int send(CommandSpec spec, Sender sender, long bytes) throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    Summary summary;
    try (Stop _ = Stop.by(() -> sender.cancel("the sender was stopped"));
        ProgressLine _ = ProgressLine.start(err, sender::bytesDone, () -> bytes)) {
      summary = sender.run();
    }
    String json = options.json();
    if (json != null) {
      TransferReport.write(json, out, "send", summary);
    }
    if (!summary.succeeded()) {
      throw new Failure(String.valueOf(summary.reason()));
    }
    TransferReport.print("-".equals(json) ? err : out, "sent to", summary);
    return 0;
  }

  private static List<InetSocketAddress> resolve(HostPort to) {
    try {
      List<InetSocketAddress> targets = new ArrayList<>();
      for (InetAddress address : InetAddress.getAllByName(to.host())) {
        targets.add(new InetSocketAddress(address, to.port()));
      }
      return targets;
    } catch (UnknownHostException e) {
      throw new Failure(to.host() + ": no host of that name");
    }
  }

  private static ParameterException wrongUse(CommandSpec spec, String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}

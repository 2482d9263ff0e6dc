package io.anabranch.tools.cli;

import io.anabranch.net.setup.Token;
import io.anabranch.tools.transfer.HostPort;
import io.anabranch.tools.transfer.ReceiveServer;
import io.anabranch.tools.transfer.Receiver;
import io.anabranch.tools.transfer.Summary;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mrc recv}: receives files from senders. */
@Command(
    name = "recv",
    description = "Receive files and folders from 'mrc send', into a folder.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "Ready when it prints 'listening on …'. Files appear under their names only when the",
      "whole transfer is here and every SHA-256 is right; of a broken one nothing is left.",
      "What was sent with --no-hash is not verified, and the line on it says so.",
      "Exit code with --once: 0 everything is here; 1 it is not."
    })
public final class RecvCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Mixin private TransferOptions options = new TransferOptions();

  @Parameters(
      paramLabel = "DIR",
      description = "The folder that files go to; made if it is not there.")
  private String folder = "";

  @Option(
      names = "--listen",
      paramLabel = "ADDR:PORT",
      description = {
        "Where to listen (default: this host's loopback addresses, port 4791).",
        "On an address that other hosts reach, senders need the token that is printed."
      })
  private @Nullable String listen;

  @Option(names = "--once", description = "End after one transfer, however many files it has.")
  private boolean once;

  @Option(names = "--force", description = "Replace files that exist already.")
  private boolean force;

  @Option(
      names = "--require-hash",
      description = "Verify the content even if a sender asks not to (--no-hash).")
  private boolean requireHash;

  /** The command; picocli fills it. */
  public RecvCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (spec == null) {
      throw new IllegalStateException("not run by picocli");
    }
    if (options.json() != null && !once) {
      throw wrongUse(spec, "--json: needs --once, it is about one transfer");
    }
    List<InetSocketAddress> addresses = addresses(spec);
    Token token = options.token();
    boolean open = addresses.stream().anyMatch(a -> !a.getAddress().isLoopbackAddress());
    boolean generated = token == null && open;
    if (generated) {
      token = Token.generate(new SecureRandom());
    }
    Path path;
    try {
      path = Path.of(folder);
    } catch (InvalidPathException e) {
      throw wrongUse(spec, "'" + folder + "': " + e.getReason());
    }
    ReceiveServer.Config config =
        new ReceiveServer.Config(
            path,
            addresses,
            options.planes(),
            once,
            force,
            requireHash,
            options.fault(),
            options.seed(),
            token);
    return receive(spec, config, generated ? token : null);
  }

  private int receive(CommandSpec spec, ReceiveServer.Config config, @Nullable Token toShow)
      throws IOException, InterruptedException {
    PrintWriter err = spec.commandLine().getErr();
    PrintWriter out = "-".equals(options.json()) ? err : spec.commandLine().getOut();
    Summary last;
    try (ReceiveServer server = ReceiveServer.open(config, new Lines(spec, out, err));
        Stop _ = Stop.by(() -> server.close("the receiver was stopped"));
        ProgressLine _ =
            ProgressLine.start(
                err,
                () -> server.active().stream().mapToLong(Receiver::bytesDone).sum(),
                () -> server.active().stream().mapToLong(Receiver::bytes).sum())) {
      if (toShow != null) {
        out.println("token " + toShow.reveal());
      }
      out.println(
          "listening on "
              + server.addresses().stream().map(HostPort::show).collect(Collectors.joining(", ")));
      out.flush();
      last = server.await();
    }
    String json = options.json();
    if (json != null) {
      TransferReport.write(json, spec.commandLine().getOut(), "recv", last);
    }
    if (last == null) {
      return 1;
    }
    return last.succeeded() ? 0 : 1;
  }

  /** What happens, in lines. */
  private record Lines(CommandSpec spec, PrintWriter out, PrintWriter err)
      implements ReceiveServer.Listener {
    @Override
    public void started(Receiver receiver) {
      // The progress line shows it.
    }

    @Override
    public void ended(Receiver receiver, Summary summary) {
      if (summary.succeeded()) {
        TransferReport.print(out, "received from", summary);
      } else {
        complain("from " + summary.peer() + ": " + summary.reason());
      }
    }

    @Override
    public void failed(String reason) {
      complain("a sender could not begin: " + reason);
    }

    private void complain(String what) {
      err.println(spec.qualifiedName() + ": " + what);
      err.flush();
    }
  }

  private List<InetSocketAddress> addresses(CommandSpec spec) throws IOException {
    HostPort where;
    try {
      where = HostPort.parse(listen == null ? "" : listen);
    } catch (IllegalArgumentException e) {
      throw wrongUse(spec, "--listen: " + e.getMessage());
    }
    List<InetSocketAddress> addresses = new ArrayList<>();
    if (where.host().isEmpty()) {
      for (String loopback : List.of("::1", "127.0.0.1")) {
        InetAddress address = InetAddress.ofLiteral(loopback);
        if (NetworkInterface.getByInetAddress(address) != null) {
          addresses.add(new InetSocketAddress(address, where.port()));
        }
      }
      return addresses;
    }
    try {
      return List.of(new InetSocketAddress(InetAddress.getByName(where.host()), where.port()));
    } catch (UnknownHostException e) {
      throw wrongUse(spec, "--listen: '" + where.host() + "': no address of that name");
    }
  }

  private static ParameterException wrongUse(CommandSpec spec, String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}

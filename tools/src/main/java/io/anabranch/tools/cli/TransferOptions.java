package io.anabranch.tools.cli;

import io.anabranch.net.fault.FaultSpec;
import io.anabranch.net.setup.Token;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options that {@code mrc send} and {@code mrc recv} share. */
final class TransferOptions {
  /**
   * Where a token may stand instead of on the command line, which every user of a host can read.
   */
  static final String TOKEN_VARIABLE = "MRC_TOKEN";

  private static final int DEFAULT_PLANES = 4;
  private static final int MAX_PLANES = 32;

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec spec;

  @Option(
      names = "--plane",
      paramLabel = "ADDR",
      description = {
        "Local address of a plane; repeat it for each, plane 1 first.",
        "Default: 4 planes on the address that leads to the peer, each on UDP ports of its own."
      })
  private List<String> planes = List.of();

  @Option(
      names = "--fault",
      paramLabel = "SPEC",
      description = {
        "Faults on purpose, as loss=1%% or plane=2:blackhole@1s-3s; may be repeated.",
        "Times count from the first data packet. See docs/faults.md."
      })
  private List<String> faults = List.of();

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Seed of faults and paths (default: a new one each time).")
  private @Nullable Long seed;

  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      description = {
        "Secret that both sides must have, 16 to 128 characters.",
        "Safer in the environment variable " + TOKEN_VARIABLE + ": others see command lines."
      })
  private @Nullable String token;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write the outcome as one JSON document; '-' for standard output.")
  private @Nullable String json;

  private ParameterException wrongUse(String message) {
    if (spec == null) {
      throw new IllegalStateException("not run by picocli");
    }
    return new ParameterException(spec.commandLine(), message);
  }

  /** The planes' addresses; none if the user named none. */
  List<InetAddress> planes() {
    if (planes.size() > MAX_PLANES) {
      throw wrongUse("--plane: " + planes.size() + " of them, allowed 0…" + MAX_PLANES);
    }
    List<InetAddress> addresses = new ArrayList<>();
    for (String plane : planes) {
      try {
        addresses.add(InetAddress.getByName(plane));
      } catch (UnknownHostException e) {
        throw wrongUse("--plane: '" + plane + "': no address of that name");
      }
      if (addresses.getLast().getClass() != addresses.getFirst().getClass()
          || addresses.getLast().isAnyLocalAddress()) {
        throw wrongUse("--plane: '" + plane + "', allowed: addresses of one family");
      }
    }
    return addresses;
  }

  FaultSpec fault() {
    try {
      FaultSpec fault = FaultSpec.parse(faults);
      fault.check(planes.isEmpty() ? DEFAULT_PLANES : planes.size());
      return fault;
    } catch (IllegalArgumentException e) {
      throw wrongUse("--fault: " + e.getMessage());
    }
  }

  long seed() {
    // Kept to what every JSON reader takes for a whole number.
    return seed == null ? new SecureRandom().nextLong(1L << 48) : seed;
  }

  @Nullable Token token() {
    String text = token == null ? System.getenv(TOKEN_VARIABLE) : token;
    if (text == null || token == null && text.isEmpty()) {
      return null;
    }
    try {
      return Token.of(text);
    } catch (IllegalArgumentException e) {
      throw wrongUse("--token: " + e.getMessage());
    }
  }

  @Nullable String json() {
    return json;
  }
}

package io.anabranch.tools.transfer;

/**
 * A host and a port as users write them: {@code host}, {@code host:port}, {@code [v6]:port}, {@code
 * v6}.
 *
 * @param host name or address, without brackets; may be empty
 * @param port 0 … 65535
 */
public record HostPort(String host, int port) {
  /** The TCP port that a receiver listens on, unless told otherwise. */
  public static final int DEFAULT_PORT = 4791;

  /**
   * Reads it.
   *
   * @throws IllegalArgumentException when it is none of the forms above
   */
  public static HostPort parse(String text) {
    if (text.startsWith("[")) {
      int end = text.indexOf(']');
      if (end < 0) {
        throw new IllegalArgumentException("'" + text + "': ']' is missing");
      }
      String rest = text.substring(end + 1);
      if (!rest.isEmpty() && !rest.startsWith(":")) {
        throw new IllegalArgumentException("'" + text + "': after ']' allowed :PORT");
      }
      String host = text.substring(1, end);
      return new HostPort(host, rest.isEmpty() ? DEFAULT_PORT : port(text, rest.substring(1)));
    }
    int colon = text.indexOf(':');
    // Several colons without brackets: an IPv6 address, whose last group cannot be told from a
    // port.
    if (colon < 0 || colon != text.lastIndexOf(':')) {
      return new HostPort(text, DEFAULT_PORT);
    }
    return new HostPort(text.substring(0, colon), port(text, text.substring(colon + 1)));
  }

  private static int port(String text, String digits) {
    int port = -1;
    if (digits.matches("[0-9]{1,5}")) {
      port = Integer.parseInt(digits);
    }
    if (port < 0 || port > 0xffff) {
      throw new IllegalArgumentException("'" + text + "': port '" + digits + "', allowed 0…65535");
    }
    return port;
  }

  /** As {@link #parse} takes it. */
  @Override
  public String toString() {
    return show(host, port);
  }

  /** An address and a port, with brackets where they are needed. */
  public static String show(String host, int port) {
    return host.indexOf(':') >= 0 ? "[" + host + "]:" + port : host + ":" + port;
  }

  /** An address and a port, with brackets where they are needed and without a name. */
  public static String show(java.net.InetSocketAddress address) {
    // The shortest common form of the one address that everybody writes so.
    String literal = address.getAddress().getHostAddress();
    return show(literal.equals("0:0:0:0:0:0:0:1") ? "::1" : literal, address.getPort());
  }
}

package io.anabranch.net.fault;

/**
 * A fault specification that cannot be read; the message names place, value and what is allowed.
 */
public final class FaultSyntaxException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final int position;

  FaultSyntaxException(String text, int position, String problem) {
    super("fault '" + text + "', character " + (position + 1) + ": " + problem);
    this.position = position;
  }

  /** Where in the text, from 0. */
  public int position() {
    return position;
  }
}

package io.anabranch.fabric.workload;

/** A connection matrix that cannot be read: the line and what is wrong with it. */
public final class MatrixSyntaxException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int line;

  MatrixSyntaxException(int line, String message) {
    super(message);
    this.line = line;
  }

  /** The line, counted from 1. */
  public int line() {
    return line;
  }
}

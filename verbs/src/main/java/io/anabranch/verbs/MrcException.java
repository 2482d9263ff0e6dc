package io.anabranch.verbs;

import java.io.Serial;

/**
 * A call that was refused or failed. The message names what was wrong: field, value and allowed
 * range. Nothing was done, unless the method says what was.
 */
public final class MrcException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  /** Kinds of failure, with the names and meanings of the MRC API. */
  public enum Code {
    /** An argument is wrong, or a state does not allow the call. */
    EINVAL,
    /** A list or array has more entries than its limit. */
    E2BIG,
    /** There is no such object. */
    ENOENT,
    /** The object is in use. */
    EBUSY,
    /** Rights or protection domains do not allow it. */
    EPERM,
    /** Not supported. */
    ENOTSUP,
    /** A queue is full: try again after completions or events were taken. */
    EAGAIN,
    /** The time given was over. */
    ETIMEDOUT,
    /** The device, or the object, has failed. */
    EIO,
    /** A resource is used up. */
    ENOMEM
  }

  /** What kind of failure it is. */
  private final Code code;

  /** Place in a posted list. */
  private final int failedIndex;

  /** A failure that is not about an entry of a list. */
  public MrcException(Code code, String message) {
    this(code, message, -1, null);
  }

  MrcException(
      Code code,
      String message,
      int failedIndex,
      @org.jspecify.annotations.Nullable Throwable cause) {
    super(code + ": " + message, cause);
    this.code = code;
    this.failedIndex = failedIndex;
  }

  /** What kind of failure it is. */
  public Code code() {
    return code;
  }

  /**
   * Of a refused list of work requests: the place of the refused one, from 0. Those before it were
   * posted, those after it were not. −1 where no list is involved.
   */
  public int failedIndex() {
    return failedIndex;
  }

  MrcException at(int index) {
    String message = getMessage();
    String text = message == null ? "" : message.substring(code.name().length() + 2);
    return new MrcException(code, "request " + index + ": " + text, index, this);
  }

  static MrcException invalid(String field, Object value, String allowed) {
    return new MrcException(Code.EINVAL, field + ": " + value + ", allowed " + allowed);
  }

  static MrcException of(IllegalArgumentException e) {
    return new MrcException(Code.EINVAL, String.valueOf(e.getMessage()), -1, e);
  }

  /** Returns {@code value} if it is in {@code min … max}; EINVAL otherwise. */
  static long range(String field, long value, long min, long max) {
    if (value < min || value > max) {
      throw invalid(field, value, min + "…" + max);
    }
    return value;
  }
}

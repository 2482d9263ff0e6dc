package io.anabranch.tools.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import org.jspecify.annotations.Nullable;

/** A command could not do its work, for a reason its user can act on: one line, exit 1. */
public final class Failure extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** A failure that the message explains completely, without the command's name in front. */
  public Failure(String message) {
    super(message, null, false, false);
  }

  /** The line to show for an expected failure, or null when this is a defect of ours. */
  static @Nullable String reason(@Nullable Throwable thrown) {
    return switch (thrown) {
      case Failure failure -> failure.getMessage();
      case UncheckedIOException unchecked -> reason(unchecked.getCause());
      case FileSystemException file -> file.getFile() + ": " + what(file);
      case IOException io ->
          io.getMessage() == null ? io.getClass().getSimpleName() : io.getMessage();
      case null, default -> null;
    };
  }

  /** The JDK's message for the usual cases is the path alone. */
  private static String what(FileSystemException e) {
    String reason = e.getReason();
    if (reason != null) {
      return reason;
    }
    return switch (e) {
      case NoSuchFileException _ -> "no such file or directory";
      case AccessDeniedException _ -> "permission denied";
      case FileAlreadyExistsException _ -> "exists already";
      case NotDirectoryException _ -> "not a directory";
      case DirectoryNotEmptyException _ -> "directory is not empty";
      default -> e.getClass().getSimpleName();
    };
  }
}

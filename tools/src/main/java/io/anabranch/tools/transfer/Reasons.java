package io.anabranch.tools.transfer;

import io.anabranch.verbs.MrcException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** What went wrong with files, in words that do not tell a peer where they are. */
final class Reasons {
  private Reasons() {}

  static String of(Exception e) {
    if (e instanceof InterruptedException) {
      Thread.currentThread().interrupt();
      return "interrupted";
    }
    if (e instanceof MrcException) {
      return "device: " + e.getMessage();
    }
    if (e instanceof FileSystemException file) {
      Path path = file.getFile() == null ? null : Path.of(file.getFile()).getFileName();
      return (path == null ? "a file" : path) + ": " + what(file);
    }
    String message = e.getMessage();
    return message == null ? e.getClass().getSimpleName() : message;
  }

  private static String what(FileSystemException e) {
    String reason = e.getReason();
    if (reason != null) {
      return reason;
    }
    return switch (e) {
      case NoSuchFileException _ -> "no such file or directory";
      case AccessDeniedException _ -> "permission denied";
      case FileAlreadyExistsException _ -> "exists already";
      default -> e.getClass().getSimpleName();
    };
  }
}

package io.anabranch.tools.run;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A file that appears at its place only when it is whole: it is written beside it under a hidden
 * name and then moved. What is not a plain file (a pipe, a device) is written directly.
 */
public final class WholeFile implements AutoCloseable {
  private final Path target;
  private final Path part;
  private final OutputStream stream;
  private final BufferedWriter writer;
  private boolean done;

  /** Begins to write; the folder must be there. */
  public WholeFile(Path path) throws IOException {
    target = Files.exists(path) ? path.toRealPath() : path;
    Path name = target.getFileName();
    boolean plain = !Files.exists(target) || Files.isRegularFile(target);
    part = plain && name != null ? target.resolveSibling("." + name + ".part") : target;
    stream = Files.newOutputStream(part);
    writer =
        new BufferedWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8.newEncoder()));
  }

  /** Where the text goes. */
  public Writer writer() {
    return writer;
  }

  /** Where bytes go, if no text does; whoever closes it must have written all. */
  OutputStream stream() {
    return stream;
  }

  /** All is written: the file takes its place. */
  public void finish() throws IOException {
    writer.close();
    if (!part.equals(target)) {
      Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
    }
    done = true;
  }

  /** Unless it was finished, nothing is left of it. */
  @Override
  public void close() throws IOException {
    if (!done) {
      try {
        writer.close();
      } finally {
        if (!part.equals(target)) {
          Files.deleteIfExists(part);
        }
      }
    }
  }

  /** Writes a whole text. */
  public static void write(Path path, String text) throws IOException {
    try (WholeFile file = new WholeFile(path)) {
      file.writer.write(text);
      file.finish();
    }
  }
}

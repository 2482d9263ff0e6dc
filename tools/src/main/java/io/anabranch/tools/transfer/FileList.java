package io.anabranch.tools.transfer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What is to be sent: files and folders with all that is in them, under the last part of the name
 * that the user gave. A symbolic link that the user names is followed; one inside a folder is
 * refused, as is everything else that is neither file nor folder.
 */
public final class FileList {
  /** A thing to send and where it is. */
  record Source(Path path, Entry entry) {}

  private final List<Source> sources = new ArrayList<>();
  private long nameBytes;
  private long bytes;

  private FileList() {}

  /**
   * Looks at everything there is under some paths.
   *
   * @throws TransferException when something cannot be sent; it names it
   */
  public static FileList of(List<Path> paths) throws IOException {
    FileList list = new FileList();
    Set<String> roots = new HashSet<>();
    for (Path path : paths) {
      Path last = path.toAbsolutePath().normalize().getFileName();
      if (last == null) {
        throw new TransferException(path + ": has no name to be sent under");
      }
      if (!roots.add(last.toString())) {
        throw new TransferException("two of the paths are named '" + last + "'");
      }
      list.addTree(path.toRealPath(), last.toString());
    }
    // A folder comes before what is in it, and every run sends in the same order.
    list.sources.sort(Comparator.comparing(source -> source.entry.name()));
    return list;
  }

  private void addTree(Path root, String name) throws IOException {
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes)
              throws IOException {
            add(dir, Entry.directory(nameOf(dir)));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            if (attributes.isSymbolicLink()) {
              throw new TransferException(file + ": a symbolic link; name it itself, or leave it");
            }
            if (!attributes.isRegularFile()) {
              throw new TransferException(file + ": neither a file nor a folder");
            }
            if (!Files.isReadable(file)) {
              throw new TransferException(file + ": permission denied");
            }
            boolean executable = Files.isExecutable(file);
            add(file, new Entry(nameOf(file), false, attributes.size(), executable));
            return FileVisitResult.CONTINUE;
          }

          private String nameOf(Path path) {
            StringBuilder full = new StringBuilder(name);
            if (!path.equals(root)) {
              for (Path part : root.relativize(path)) {
                full.append('/').append(part);
              }
            }
            return full.toString();
          }
        });
  }

  private void add(Path path, Entry entry) throws TransferException {
    Names.check(entry.name());
    if (sources.size() == Terms.MAX_ENTRIES) {
      throw new TransferException(
          path + ": one too many, allowed " + Terms.MAX_ENTRIES + " files and folders at a time");
    }
    nameBytes += entry.name().getBytes(StandardCharsets.UTF_8).length;
    if (nameBytes > Terms.MAX_NAME_BYTES) {
      throw new TransferException(
          path + ": names too long, allowed " + Terms.MAX_NAME_BYTES + " bytes of them at a time");
    }
    bytes += entry.bytes();
    sources.add(new Source(path, entry));
  }

  /** Bytes of all files. */
  public long bytes() {
    return bytes;
  }

  /** How many files. */
  public int files() {
    return (int) sources.stream().filter(source -> !source.entry.directory()).count();
  }

  List<Source> sources() {
    return sources;
  }

  List<Entry> entries() {
    return sources.stream().map(Source::entry).toList();
  }

  Terms.Offer offer(boolean hashed) {
    return new Terms.Offer(sources.size(), nameBytes, bytes, hashed);
  }
}

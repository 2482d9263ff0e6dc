package io.anabranch.tools.transfer;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.WritableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Files on their way: in a hidden folder inside the receiver's, under numbers instead of names,
 * until all of them are complete. Closing removes what is still there.
 */
final class Staging implements AutoCloseable {
  private static final String LOCK = "lock";

  /** How a file on its way is opened; tests break it. */
  interface Opener {
    /** A new file's channel. */
    WritableByteChannel open(Path path) throws IOException;
  }

  /** Real files. */
  static final Opener FILES =
      path -> FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

  private final Path target;
  private final boolean force;
  private final Opener opener;
  private final Path folder;
  private final FileChannel lock;
  // What can be taken back, the newest first: a path that was made, or one that was replaced and
  // where the old file is.
  private final Deque<Undo> undo = new ArrayDeque<>();

  private record Undo(Path made, @Nullable Path old) {}

  /**
   * Makes the hidden folder.
   *
   * @param force whether existing files may be replaced
   */
  Staging(Path target, boolean force, Opener opener) throws IOException {
    this.target = target;
    this.force = force;
    this.opener = opener;
    folder = Files.createTempDirectory(target, Names.RESERVED);
    FileChannel channel = null;
    try {
      channel =
          FileChannel.open(
              folder.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      hold(channel);
      lock = channel;
    } catch (IOException e) {
      if (channel != null) {
        channel.close();
      }
      remove(folder);
      throw e;
    }
  }

  /** The channel holds the lock until it is closed. */
  private static boolean hold(FileChannel channel) throws IOException {
    try {
      FileLock held = channel.tryLock();
      return held != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  /** Removes what receivers left that were killed: hidden folders whose lock nobody holds. */
  static void sweep(Path target) throws IOException {
    try (DirectoryStream<Path> left = Files.newDirectoryStream(target, Names.RESERVED + "*")) {
      for (Path old : left) {
        if (isAbandoned(old)) {
          remove(old);
        }
      }
    }
  }

  private static boolean isAbandoned(Path old) throws IOException {
    try (FileChannel channel = FileChannel.open(old.resolve(LOCK), StandardOpenOption.WRITE)) {
      return hold(channel);
    } catch (NoSuchFileException | java.nio.file.FileSystemLoopException e) {
      // Being made just now, or none of ours.
      return false;
    }
  }

  /**
   * Checks that nothing is in the way and that there is room.
   *
   * @throws TransferException naming what is
   */
  void check(List<Entry> entries, long bytes) throws IOException {
    for (Entry entry : entries) {
      checkPlace(entry);
    }
    long free = Files.getFileStore(target).getUsableSpace();
    if (free < bytes) {
      throw new TransferException(
          "no space left at the receiver: " + bytes + " bytes needed, " + free + " free");
    }
  }

  private void checkPlace(Entry entry) throws IOException {
    Path place = target.resolve(entry.name());
    for (Path at = place.getParent(); at != null && !at.equals(target); at = at.getParent()) {
      // A link would lead somewhere else.
      if (exists(at) && !Files.isDirectory(at, LinkOption.NOFOLLOW_LINKS)) {
        throw inTheWay(entry, target.relativize(at) + " is not a folder");
      }
    }
    if (!exists(place)) {
      return;
    }
    boolean isFolder = Files.isDirectory(place, LinkOption.NOFOLLOW_LINKS);
    if (entry.directory() ? !isFolder : isFolder) {
      throw inTheWay(entry, isFolder ? "a folder of that name exists" : "exists, and is no folder");
    }
    if (!entry.directory() && !force) {
      throw inTheWay(entry, "exists already (--force replaces it)");
    }
  }

  private static boolean exists(Path path) {
    return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
  }

  private static TransferException inTheWay(Entry entry, String why) {
    return new TransferException(Names.shown(entry.name()) + ": " + why);
  }

  private Path path(int index) {
    return folder.resolve(Integer.toString(index));
  }

  /** Opens the file of an entry. */
  WritableByteChannel create(int index) throws IOException {
    return opener.open(path(index));
  }

  /**
   * Puts everything in its place. After a failure everything is as before.
   *
   * @throws TransferException when something came into the way meanwhile
   */
  void commit(List<Entry> entries) throws IOException {
    boolean done = false;
    try {
      for (int i = 0; i < entries.size(); i++) {
        Entry entry = entries.get(i);
        checkPlace(entry);
        Path place = target.resolve(entry.name());
        if (entry.directory()) {
          if (!exists(place)) {
            Files.createDirectory(place);
            undo.push(new Undo(place, null));
          }
        } else {
          if (entry.executable()) {
            allowExecution(path(i));
          }
          put(path(i), place, i);
        }
      }
      done = true;
    } finally {
      if (!done) {
        takeBack();
      }
    }
  }

  private void put(Path from, Path place, int index) throws IOException {
    if (force && exists(place)) {
      Path old = folder.resolve("old-" + index);
      boolean kept = link(old, place);
      Files.move(from, place, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      if (kept) {
        undo.push(new Undo(place, old));
      }
      return;
    }
    // A link fails if the name exists, at once with making it; a move looks first and then moves.
    if (!link(place, from)) {
      Files.move(from, place);
    }
    undo.push(new Undo(place, null));
  }

  /** Gives a file a second name; false: the file system has no such thing. */
  private static boolean link(Path name, Path file) throws IOException {
    try {
      Files.createLink(name, file);
      return true;
    } catch (FileAlreadyExistsException e) {
      throw e;
    } catch (UnsupportedOperationException | IOException e) {
      return false;
    }
  }

  private void takeBack() {
    while (!undo.isEmpty()) {
      takeBack(undo.pop());
    }
  }

  private static void takeBack(Undo last) {
    try {
      if (last.old != null) {
        Files.move(last.old, last.made, StandardCopyOption.ATOMIC_MOVE);
      } else {
        Files.deleteIfExists(last.made);
      }
    } catch (IOException e) {
      // Someone else uses it already, as a folder that was filled meanwhile: theirs now.
      return;
    }
  }

  private static void allowExecution(Path file) throws IOException {
    try {
      Set<PosixFilePermission> rights = Files.getPosixFilePermissions(file);
      allow(rights, PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_EXECUTE);
      allow(rights, PosixFilePermission.GROUP_READ, PosixFilePermission.GROUP_EXECUTE);
      allow(rights, PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_EXECUTE);
      Files.setPosixFilePermissions(file, rights);
    } catch (UnsupportedOperationException e) {
      // No such rights here; then none are missed either.
      return;
    }
  }

  private static void allow(
      Set<PosixFilePermission> rights, PosixFilePermission read, PosixFilePermission execute) {
    if (rights.contains(read)) {
      rights.add(execute);
    }
  }

  private static void remove(Path tree) throws IOException {
    Files.walkFileTree(
        tree,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path dir, @Nullable IOException e)
              throws IOException {
            Files.deleteIfExists(dir);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  @Override
  public void close() throws IOException {
    lock.close();
    remove(folder);
  }
}

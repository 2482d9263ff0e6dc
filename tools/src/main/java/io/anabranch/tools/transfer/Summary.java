package io.anabranch.tools.transfer;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a transfer went.
 *
 * @param peer whom with
 * @param reason why it failed, or null: it is complete
 * @param files files of it
 * @param directories folders of it
 * @param bytes bytes of all files
 * @param bytesDone bytes that are known to have arrived
 * @param seconds from the first byte to the last answer
 * @param qps queue pairs
 * @param seed of faults and paths
 * @param verified whether it is complete, and the hash of every file that was stored is that of
 *     what was read
 * @param hashes SHA-256 of the first files, at most {@value #MAX_HASHES}; none after a failure, and
 *     none without hashing
 * @param traffic packets
 */
public record Summary(
    String peer,
    @Nullable String reason,
    int files,
    int directories,
    long bytes,
    long bytesDone,
    double seconds,
    int qps,
    long seed,
    boolean verified,
    List<FileHash> hashes,
    Traffic traffic) {
  /** Most hashes that are kept. */
  public static final int MAX_HASHES = 1000;

  /** Copies the list. */
  public Summary {
    hashes = List.copyOf(hashes);
  }

  /** A file's hash. */
  public record FileHash(String name, long bytes, String sha256) {}

  /** Whether it is complete. */
  public boolean succeeded() {
    return reason == null;
  }

  /** Megabits of files a second. */
  public double goodputMbps() {
    return seconds > 0 ? bytesDone * 8 / seconds / 1e6 : 0;
  }

  static List<FileHash> hashes(List<Entry> entries, Hashes hashes) {
    List<FileHash> list = new ArrayList<>();
    int file = 0;
    for (Entry entry : entries) {
      if (!entry.directory() && file < Math.min(hashes.count(), MAX_HASHES)) {
        list.add(new FileHash(entry.name(), entry.bytes(), hashes.hex(file++)));
      }
    }
    return list;
  }
}

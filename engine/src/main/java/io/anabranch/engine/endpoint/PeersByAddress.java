package io.anabranch.engine.endpoint;

import io.anabranch.engine.config.PlaneAddress;
import io.anabranch.wire.mrc.Frame;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the peer that a frame without a queue pair comes from. Several may have an address: then it
 * is the one with the lowest index.
 */
final class PeersByAddress {
  /** By hash of plane and address. */
  private final IntTable<Peer[]> byHash = new IntTable<>();

  private static int hash(int port, long hi, long lo) {
    long h = (hi * 0x9E3779B97F4A7C15L ^ lo) * 0xC2B2AE3D27D4EB4FL + port;
    return (int) (h ^ h >>> 32);
  }

  private static int hash(int port, PlaneAddress address) {
    return hash(port, address.hi(), address.lo());
  }

  void add(Peer peer) {
    List<PlaneAddress> planes = peer.config.planes();
    for (int port = 0; port < planes.size(); port++) {
      int hash = hash(port, planes.get(port));
      Peer[] known = byHash.get(hash);
      int n = known == null ? 0 : known.length;
      Peer[] all = known == null ? new Peer[1] : Arrays.copyOf(known, n + 1);
      int i = n;
      while (i > 0 && all[i - 1].index > peer.index) {
        all[i] = all[i - 1];
        i--;
      }
      all[i] = peer;
      byHash.put(hash, all);
    }
  }

  void remove(Peer peer) {
    List<PlaneAddress> planes = peer.config.planes();
    for (int port = 0; port < planes.size(); port++) {
      int hash = hash(port, planes.get(port));
      Peer[] known = byHash.get(hash);
      if (known != null) {
        Peer[] left = Arrays.stream(known).filter(each -> each != peer).toArray(Peer[]::new);
        if (left.length == 0) {
          byHash.remove(hash);
        } else {
          byHash.put(hash, left);
        }
      }
    }
  }

  /** The peer whose address on a port's plane a frame comes from, or null. */
  @Nullable Peer find(Frame frame, int port) {
    Peer[] known = byHash.get(hash(port, frame.srcHi(), frame.srcLo()));
    if (known != null) {
      for (Peer peer : known) {
        if (peer.route.isFrom(frame, port)) {
          return peer;
        }
      }
    }
    return null;
  }
}

package io.anabranch.tools.cli.decode;

import io.anabranch.wire.ib.Bth;
import io.anabranch.wire.ip.Address;
import io.anabranch.wire.mrc.Opcode;
import io.anabranch.wire.mrc.Psn;
import java.io.PrintWriter;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a capture holds, per destination QP: packets, gaps in the PSNs of data, retransmissions, and
 * how the EVs spread over paths. Bounded: QPs, paths a QP and EVs a path beyond their limits are
 * counted together. Packets with a wrong ICRC count as such and as nothing else.
 */
public final class QpSummary {
  private static final int MAX_QPS = 4096;
  private static final int MAX_PATHS = 64;
  private static final int MAX_EVS = 1024;

  /** PSNs that may still arrive late: a gap further back counts as lost for good. */
  private static final int WINDOW = 1 << 16;

  /** Where packets of one plane go: the first uSID where there is one, else the destination. */
  private record Path(Address to, int port) implements Comparable<Path> {
    @Override
    public int compareTo(Path other) {
      int address = to.compareTo(other.to);
      return address != 0 ? address : Integer.compare(port, other.port);
    }
  }

  private static final class Spread {
    private final Map<Integer, long[]> packetsByEv = new TreeMap<>();
    private long packets;
    private long beyond;

    void add(int ev) {
      packets++;
      long[] count = packetsByEv.get(ev);
      if (count != null) {
        count[0]++;
      } else if (packetsByEv.size() < MAX_EVS) {
        packetsByEv.put(ev, new long[] {1});
      } else {
        beyond++;
      }
    }
  }

  private static final class Qp {
    private final Map<String, long[]> packetsByOpcode = new TreeMap<>();
    private final Map<Path, Spread> paths = new TreeMap<>();
    private final long[] seen = new long[WINDOW / 64];
    private long packets;
    private long data;
    private int first;
    private int high;
    private long missing;
    private long retransmitted;
    private long copies;
    private long trimmed;
    private long unclearPaths;

    private boolean mark(int psn) {
      int i = psn & WINDOW - 1;
      boolean before = (seen[i >> 6] >>> i & 1) != 0;
      seen[i >> 6] |= 1L << i;
      return before;
    }

    private void forget(int psn) {
      int i = psn & WINDOW - 1;
      seen[i >> 6] &= ~(1L << i);
    }

    void dataPsn(int psn) {
      if (data++ == 0) {
        first = psn;
        high = psn;
        mark(psn);
        return;
      }
      int ahead = Psn.ahead(psn, high);
      if (ahead > 0) {
        missing += ahead - 1;
        for (int i = 1; i <= Math.min(ahead, WINDOW); i++) {
          forget(Psn.plus(high, i));
        }
        high = psn;
        mark(psn);
      } else if (ahead <= -WINDOW || mark(psn)) {
        copies++;
      } else if (Psn.ahead(psn, first) < 0) {
        // Earlier than the capture's first: the range grows downwards.
        missing += Psn.ahead(first, psn) - 1;
        first = psn;
      } else {
        missing--;
      }
    }
  }

  private final Map<Integer, Qp> qps = new TreeMap<>();
  private long mrc;
  private long roce;
  private long damaged;
  private long icrcBad;
  private long beyondQps;

  /** An empty summary. */
  public QpSummary() {}

  /** Counts a packet. */
  public void add(Packet p, Packet.Kind kind) {
    if (kind == Packet.Kind.MRC) {
      mrc++;
    } else if (kind == Packet.Kind.ROCE) {
      roce++;
    }
    if (p.error() != null) {
      damaged++;
    }
    if (p.icrc() == Packet.IcrcState.BAD) {
      icrcBad++;
    }
    if (p.error() != null || !p.hasBth()) {
      return;
    }
    Qp qp = qp(p.bth(Bth.DEST_QP));
    if (qp == null) {
      beyondQps++;
      return;
    }
    qp.packets++;
    String name = p.transport().name();
    qp.packetsByOpcode.computeIfAbsent(name == null ? "?" : name, _ -> new long[1])[0]++;
    if (Opcode.isWrite(p.transport().opcode())) {
      data(qp, p);
    }
  }

  private @Nullable Qp qp(int number) {
    Qp qp = qps.get(number);
    if (qp == null && qps.size() < MAX_QPS) {
      qp = new Qp();
      qps.put(number, qp);
    }
    return qp;
  }

  private static void data(Qp qp, Packet p) {
    qp.retransmitted += p.bth(Bth.RTX);
    if (p.icrc() == Packet.IcrcState.ABSENT) {
      // Its payload is lost: the gap stays until a whole copy comes.
      qp.trimmed++;
    } else {
      qp.dataPsn(p.bth(Bth.PSN));
    }
    long hi = p.ip().dstHi();
    long lo = p.ip().dstLo();
    if (p.isTunnelled()) {
      hi = p.outer().dstHi() & ~0xffffL;
      lo = 0;
    }
    Path path = new Path(new Address(hi, lo), p.dstPort());
    Spread spread = qp.paths.get(path);
    if (spread == null) {
      if (qp.paths.size() == MAX_PATHS) {
        qp.unclearPaths++;
        return;
      }
      spread = new Spread();
      qp.paths.put(path, spread);
    }
    spread.add(p.ev());
  }

  /** Prints everything, QPs in ascending order. */
  public void print(PrintWriter out) {
    out.println(
        mrc + " MRC, " + roce + " RoCEv2, " + damaged + " damaged (" + icrcBad + " by the ICRC)");
    qps.forEach((number, qp) -> print(number, qp, out));
    if (beyondQps > 0) {
      out.println(beyondQps + " packets of QPs beyond the first " + MAX_QPS);
    }
  }

  private static void print(int number, Qp qp, PrintWriter out) {
    StringBuilder text = new StringBuilder();
    text.append("qp 0x%06x: %d packets (".formatted(number, qp.packets));
    String comma = "";
    for (var e : qp.packetsByOpcode.entrySet()) {
      text.append(comma).append(e.getKey()).append(' ').append(e.getValue()[0]);
      comma = ", ";
    }
    text.append(')');
    if (qp.data > 0) {
      text.append("; data psn %d…%d, %d missing".formatted(qp.first, qp.high, qp.missing));
      text.append(", %d retransmitted".formatted(qp.retransmitted));
      text.append(", %d seen again".formatted(qp.copies));
      if (qp.trimmed > 0) {
        text.append(", %d trimmed".formatted(qp.trimmed));
      }
    }
    out.println(text);
    qp.paths.forEach((path, spread) -> print(path, spread, out));
    if (qp.unclearPaths > 0) {
      out.println("  further paths: " + qp.unclearPaths + " packets");
    }
  }

  private static void print(Path path, Spread spread, PrintWriter out) {
    long least = Long.MAX_VALUE;
    long most = 0;
    for (long[] count : spread.packetsByEv.values()) {
      least = Math.min(least, count[0]);
      most = Math.max(most, count[0]);
    }
    String evs = spread.packetsByEv.size() + (spread.beyond > 0 ? " and more" : "");
    out.println(
        "  to %s port %d: %d packets, %s EVs, %d…%d packets each"
            .formatted(path.to, path.port, spread.packets, evs, least, most));
  }
}

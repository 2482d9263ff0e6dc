package io.anabranch.fabric.pair;

import io.anabranch.engine.Status;
import io.anabranch.wire.mrc.Psn;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One direction of one queue pair as seen from outside. Packets are numbered from 0 in send order;
 * every transmission of a packet is a copy with a number of its own.
 */
final class Flow {
  /** A packet that has not arrived. */
  static final int NEVER = 0;

  static final int NONE = -1;

  /** How far from where it should be a probe's id is looked for. */
  private static final int PROBES_OFF = 256;

  /** Copy state: it was taken in whole by the responder. */
  static final int ARRIVED = 1;

  /** Copy state: it arrived with a CE mark. */
  static final int ARRIVED_MARKED = 2;

  /** Copy state: it arrived whole and unmarked. */
  static final int ARRIVED_CLEAN = 4;

  /** Copy state: it arrived trimmed on the way. */
  static final int TRIMMED = 8;

  /** Copy state: it arrived trimmed at the last hop. */
  static final int TRIMMED_LAST_HOP = 16;

  /** Copy state: it was refused for want of a buffer. */
  static final int REFUSED = 32;

  /** Copy state: it arrived without payload, but the packet was there before. */
  static final int REPEATED = 64;

  final int side;
  final int index;
  final int requestorQp;
  final int responderQp;
  final int startPsn;
  final int startMsn;
  final List<Message> messages;
  final int region;

  /** Whether its queue pair may fail: then only safety and order are checked. */
  boolean mayFail;

  /** Whether forged frames from its own peer reached it: then only bounds and order are checked. */
  boolean lied;

  // What the application did.
  int posted;
  int sendCursor;
  int signaledPosted;
  int signaledReported;
  int receivesPosted;
  int receivesReported;
  int receivesDone;
  boolean failureReported;
  @Nullable Status failureStatus;
  boolean failed;
  boolean responderFailed;

  /** Whether its engine has told that the queue pair is in ERROR: what comes then is ignored. */
  boolean inError;

  // Requestor's side.
  int sentPackets;
  int copies;
  int retransmitted;
  int highestAcked = NONE;
  int highestCompleted = NONE;
  long lastProgressNs;
  int mprPackets;
  int grantedPackets;
  int grantedBefore;
  int mprBefore;
  long mprChangedNs;
  long outsideInflight;
  long unknownBytes;
  int reportedUnits;
  final int[] rqMsnOf;
  int lastExpiryCount;
  long lastExpiryNs;
  int[] lastCopy = new int[64];
  int[] copiesOf = new int[64];

  // How many copies of a packet are known to have been refused, and the number after the latest.
  int[] refusalsOf = new int[64];
  int[] afterRefusal = new int[64];
  boolean[] known = new boolean[64];
  int[] packetBytes = new int[64];
  int[] copyPacket = new int[64];
  int[] copyBefore = new int[64];
  int[] copyEv = new int[64];
  int[] copyStamp = new int[64];
  byte[] copyPort = new byte[64];
  byte[] copyState = new byte[64];

  // What the responder knew when a copy first arrived.
  int[] copyArrival = new int[64];
  int[] copyPrefix = new int[64];
  long[] copyRcvd = new long[64];

  // Shares of the planes while the set of usable ones stays the same.
  int usableMask;
  final long[] sentSinceChange = new long[32];
  long evadedSinceChange;

  // Responder's side.
  int arrivals;
  int[] arrivedFirst = new int[64];
  boolean[] placed = new boolean[64];
  int prefix = NONE;
  int completeMessages;
  int ackChecked;
  long rcvdBytes;

  // Probes by number.
  int[] probeId = new int[64];
  int[] probeEv = new int[64];
  int[] probeStamp = new int[64];
  int[] probeState = new int[64];
  int[] probeArrival = new int[64];
  int[] probePrefix = new int[64];
  long[] probeRcvd = new long[64];
  int probes;

  Flow(
      int side,
      int index,
      int requestorQp,
      int responderQp,
      int startPsn,
      int startMsn,
      List<Message> messages,
      int region) {
    this.side = side;
    this.index = index;
    this.requestorQp = requestorQp;
    this.responderQp = responderQp;
    this.startPsn = startPsn;
    this.startMsn = startMsn;
    this.messages = messages;
    this.rqMsnOf = new int[messages.size()];
    this.region = region;
  }

  String name() {
    return (side == 0 ? "A" : "B") + " qp " + Integer.toHexString(requestorQp);
  }

  /** The packet that a PSN of this flow means; negative or beyond {@link #sentPackets}: none. */
  int packet(int psn) {
    return sentPackets + Psn.ahead(psn, Psn.plus(startPsn, sentPackets));
  }

  int psn(int packet) {
    return Psn.plus(startPsn, packet);
  }

  boolean sent(int packet) {
    return packet >= 0 && packet < sentPackets;
  }

  boolean arrived(int packet) {
    return packet < arrivedFirst.length && arrivedFirst[packet] != NEVER;
  }

  /** The message that a packet belongs to, among those posted. */
  Message messageOf(int packet) {
    int low = 0;
    int high = posted - 1;
    while (low < high) {
      int middle = low + high + 1 >>> 1;
      if (messages.get(middle).firstPacket() <= packet) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return messages.get(low);
  }

  int postedPackets() {
    return posted == 0 ? 0 : messages.get(posted - 1).lastPacket() + 1;
  }

  /** Registers a new copy and returns its number. */
  int copy(int packet, int ev, int port, int stamp) {
    if (copies == copyPacket.length) {
      int n = copies * 2;
      copyPacket = Arrays.copyOf(copyPacket, n);
      copyBefore = Arrays.copyOf(copyBefore, n);
      copyEv = Arrays.copyOf(copyEv, n);
      copyStamp = Arrays.copyOf(copyStamp, n);
      copyPort = Arrays.copyOf(copyPort, n);
      copyState = Arrays.copyOf(copyState, n);
      copyArrival = Arrays.copyOf(copyArrival, n);
      copyPrefix = Arrays.copyOf(copyPrefix, n);
      copyRcvd = Arrays.copyOf(copyRcvd, n);
    }
    if (packet == sentPackets) {
      if (sentPackets == lastCopy.length) {
        int n = sentPackets * 2;
        lastCopy = Arrays.copyOf(lastCopy, n);
        copiesOf = Arrays.copyOf(copiesOf, n);
        refusalsOf = Arrays.copyOf(refusalsOf, n);
        afterRefusal = Arrays.copyOf(afterRefusal, n);
        known = Arrays.copyOf(known, n);
        packetBytes = Arrays.copyOf(packetBytes, n);
        arrivedFirst = Arrays.copyOf(arrivedFirst, n);
        placed = Arrays.copyOf(placed, n);
      }
      lastCopy[packet] = NONE;
      sentPackets++;
    }
    int id = copies++;
    copyPacket[id] = packet;
    copyBefore[id] = lastCopy[packet];
    copyEv[id] = ev;
    copyPort[id] = (byte) port;
    copyStamp[id] = stamp;
    lastCopy[packet] = id;
    copiesOf[packet]++;
    return id;
  }

  /** The requestor is told that a copy with this EV was refused; told again, it does not count. */
  void refused(int packet, int ev) {
    int c = lastCopy[packet];
    while (c != NONE && (copyEv[c] != ev || (copyState[c] & REFUSED) == 0)) {
      c = copyBefore[c];
    }
    if (c >= afterRefusal[packet]) {
      refusalsOf[packet]++;
      afterRefusal[packet] = c + 1;
    }
  }

  /** States of all copies of a packet with this EV, together. */
  int states(int packet, int ev) {
    int all = 0;
    for (int c = lastCopy[packet]; c != NONE; c = copyBefore[c]) {
      if (copyEv[c] == ev) {
        all |= copyState[c];
      }
    }
    return all;
  }

  /**
   * The copy with this EV and timestamp that arrived first, or {@link #NONE}.
   *
   * @param stamped whether the timestamp tells copies apart
   */
  int reflected(int packet, int ev, int stamp, boolean stamped) {
    int best = NONE;
    for (int c = lastCopy[packet]; c != NONE; c = copyBefore[c]) {
      // A trimmed copy may have lost its timestamp.
      boolean cut = (copyState[c] & REPEATED) != 0 && stamp == 0;
      boolean fits = copyEv[c] == ev && (!stamped || copyStamp[c] == stamp || cut);
      if (fits && (copyState[c] & (ARRIVED | REPEATED)) != 0) {
        best = best == NONE || copyArrival[c] < copyArrival[best] ? c : best;
      }
    }
    return best;
  }

  /** States of the copies that a SACK with this EV and timestamp may reflect, together. */
  int marks(int packet, int ev, int stamp, boolean stamped) {
    int all = 0;
    for (int c = lastCopy[packet]; c != NONE; c = copyBefore[c]) {
      boolean cut = (copyState[c] & REPEATED) != 0 && stamp == 0;
      all |= copyEv[c] == ev && (!stamped || copyStamp[c] == stamp || cut) ? copyState[c] : 0;
    }
    return all;
  }

  /** Some copy of a packet that arrived. */
  int anyArrived(int packet) {
    int c = lastCopy[packet];
    while ((copyState[c] & ARRIVED) == 0) {
      c = copyBefore[c];
    }
    return c;
  }

  /** Registers a new probe and returns its number. */
  int probe(int id, int ev, int stamp) {
    if (probes == probeId.length) {
      int n = probes * 2;
      probeId = Arrays.copyOf(probeId, n);
      probeEv = Arrays.copyOf(probeEv, n);
      probeStamp = Arrays.copyOf(probeStamp, n);
      probeState = Arrays.copyOf(probeState, n);
      probeArrival = Arrays.copyOf(probeArrival, n);
      probePrefix = Arrays.copyOf(probePrefix, n);
      probeRcvd = Arrays.copyOf(probeRcvd, n);
    }
    probeId[probes] = id;
    probeEv[probes] = ev;
    probeStamp[probes] = stamp;
    return probes++;
  }

  /** Whether one of the last probes had this id. */
  boolean probeInUse(int id) {
    for (int n = probes - 1; n >= Math.max(0, probes - PROBES_OFF); n--) {
      if (probeId[n] == id) {
        return true;
      }
    }
    return false;
  }

  /** Number of the last probe with this id, or {@link #NONE}. */
  int probe(int id) {
    if (probes == 0) {
      return NONE;
    }
    // Ids are given in order, but ports send them in theirs.
    int near = near(id, probes - 1);
    return near != NONE ? near : near(id, probes - 1 - (probeId[probes - 1] - id & 0xffff));
  }

  private int near(int id, int middle) {
    int from = Math.min(probes - 1, middle + PROBES_OFF);
    for (int n = from; n >= Math.max(0, middle - PROBES_OFF); n--) {
      if (probeId[n] == id) {
        return n;
      }
    }
    return NONE;
  }

  /** Whether every packet of a message has been written to memory. */
  boolean placed(Message message) {
    for (int p = message.firstPacket(); p <= message.lastPacket(); p++) {
      if (p >= sentPackets || !placed[p]) {
        return message.bytes() == 0 && arrived(message.lastPacket());
      }
    }
    return true;
  }

  /** Whether everything planned has been written and, where asked, reported. */
  boolean done() {
    if (failed) {
      for (int i = sendCursor; i < posted; i++) {
        if (messages.get(i).signaled() || messages.get(i).lastPacket() > highestCompleted) {
          return false;
        }
      }
      return true;
    }
    return posted == messages.size()
        && (messages.isEmpty() || highestCompleted >= messages.getLast().lastPacket())
        && signaledReported == signaledPosted
        && receivesDone == immediates();
  }

  int immediates() {
    if (messages.isEmpty()) {
      return 0;
    }
    Message last = messages.getLast();
    return last.immediatesBefore() + (last.withImmediate() ? 1 : 0);
  }

  /** The {@code n}-th message with immediate. */
  Message immediate(int n) {
    for (Message message : messages) {
      if (message.withImmediate() && message.immediatesBefore() == n) {
        return message;
      }
    }
    throw new IllegalStateException("no immediate " + n);
  }
}

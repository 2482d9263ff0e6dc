package io.anabranch.wire.mrc;

/**
 * One packet as a flyweight over {@link #WORDS} longs that the caller owns, quantised as on the
 * wire. The engine reads and writes frames only; the codec beside it turns them into bytes and
 * back.
 *
 * <p>Fields of different headers share words: which ones mean something follows from {@link
 * #opcode()}. A setter masks its value to the field's width, so a frame can only hold what the wire
 * can carry.
 *
 * <pre>
 * word 0  opcode, DSCP, ECN, flags, pad, payload length, P_Key
 * word 1  PSN, destination QP, UDP destination port
 * word 2  EV, timestamp, TSR, FTYPE
 * word 3  METH and ImmDt | AETH | entropy and connection ids | port status mask
 * word 4  RETH address | SETH counters | NETH | PETH id
 * word 5  RETH key and length | SACK bitmap
 * word 6  CC_STATE and SETH flags
 * word 7, 8    source address      word 9, 10  destination address
 * word 11 payload reference and offset, of this host alone: never on the wire
 * </pre>
 *
 * <p>Addresses are 128-bit; an IPv4 address is held IPv4-mapped (RFC 4291 section 2.5.5.2).
 */
public final class Frame {
  /** Longs a slot takes. */
  public static final int WORDS = 12;

  private long[] words;
  private int base;

  /** A frame with a slot of its own, all zero. */
  public Frame() {
    this(new long[WORDS], 0);
  }

  /** A frame over {@code words[base … base + WORDS − 1]}. */
  public Frame(long[] words, int base) {
    this.words = words;
    this.base = base;
  }

  /** Moves this flyweight to another slot. */
  public Frame wrap(long[] words, int base) {
    this.words = words;
    this.base = base;
    return this;
  }

  /** Sets every field to zero. */
  public Frame clear() {
    java.util.Arrays.fill(words, base, base + WORDS, 0L);
    return this;
  }

  /** Zeroes what transport headers fill; addresses, EV, UDP port, DSCP and ECN stay. */
  void clearTransport() {
    words[base] &= 0xff00L;
    words[base + 1] &= 0xffff_0000_0000_0000L;
    words[base + 2] &= 0xffff_ffffL;
    java.util.Arrays.fill(words, base + 3, base + 7, 0L);
    words[base + 11] = 0;
  }

  /** Copies all fields of {@code from}. */
  public Frame copy(Frame from) {
    System.arraycopy(from.words, from.base, words, base, WORDS);
    return this;
  }

  /** Copies this frame's slot into {@code to[toBase …]}. */
  public void store(long[] to, int toBase) {
    System.arraycopy(words, base, to, toBase, WORDS);
  }

  private void put(int word, int shift, long mask, long value) {
    int i = base + word;
    words[i] = words[i] & ~(mask << shift) | (value & mask) << shift;
  }

  /** BTH opcode. */
  public int opcode() {
    return (int) words[base] & 0xff;
  }

  /** Sets {@link #opcode()}. */
  public Frame opcode(int v) {
    put(0, 0, 0xffL, v);
    return this;
  }

  /** DSCP of the IP header that carries UDP. */
  public int dscp() {
    return (int) (words[base] >>> 8) & 0x3f;
  }

  /** Sets {@link #dscp()}. */
  public Frame dscp(int v) {
    put(0, 8, 0x3fL, v);
    return this;
  }

  /** ECN field: 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE. */
  public int ecn() {
    return (int) (words[base] >>> 14) & 0x3;
  }

  /** Sets {@link #ecn()}. */
  public Frame ecn(int v) {
    put(0, 14, 0x3L, v);
    return this;
  }

  /** BTH pad count, 0…3. */
  public int padCount() {
    return (int) (words[base] >>> 24) & 0x3;
  }

  /** Sets {@link #padCount()}. */
  public Frame padCount(int v) {
    put(0, 24, 0x3L, v);
    return this;
  }

  /** Payload bytes without pad and ICRC; of a trimmed packet the bytes it had. */
  public int payloadLength() {
    return (int) (words[base] >>> 26) & 0xffff;
  }

  /** Sets {@link #payloadLength()}. */
  public Frame payloadLength(int v) {
    put(0, 26, 0xffffL, v);
    return this;
  }

  /** BTH partition key. */
  public int pKey() {
    return (int) (words[base] >>> 48);
  }

  /** Sets {@link #pKey()}. */
  public Frame pKey(int v) {
    put(0, 48, 0xffffL, v);
    return this;
  }

  /** BTH packet sequence number; of an endpoint operation the request id in bits 15:0. */
  public int psn() {
    return (int) words[base + 1] & 0xffffff;
  }

  /** Sets {@link #psn()}. */
  public Frame psn(int v) {
    put(1, 0, 0xffffffL, v);
    return this;
  }

  /** BTH destination QP. */
  public int destQp() {
    return (int) (words[base + 1] >>> 24) & 0xffffff;
  }

  /** Sets {@link #destQp()}. */
  public Frame destQp(int v) {
    put(1, 24, 0xffffffL, v);
    return this;
  }

  /** UDP destination port. */
  public int dstPort() {
    return (int) (words[base + 1] >>> 48);
  }

  /** Sets {@link #dstPort()}. */
  public Frame dstPort(int v) {
    put(1, 48, 0xffffL, v);
    return this;
  }

  /** Entropy value: bits 15:0 are the UDP source port, bits 31:16 the flow label's low half. */
  public int ev() {
    return (int) words[base + 2];
  }

  /** Sets {@link #ev()}. */
  public Frame ev(int v) {
    put(2, 0, 0xffffffffL, v);
    return this;
  }

  /**
   * Transmit timestamp of a write, probe or endpoint request (TSETH, PETH, ERTH), reflected
   * timestamp of a SACK, NACK or endpoint response; units of 128 ns.
   */
  public int timestamp() {
    return (int) (words[base + 2] >>> 32) & 0xffff;
  }

  /** Sets {@link #timestamp()}. */
  public Frame timestamp(int v) {
    put(2, 32, 0xffffL, v);
    return this;
  }

  /** Timestamp resolution: 0 = 128 ns, 1 = the sender's own. */
  public int tsr() {
    return (int) (words[base + 2] >>> 48) & 0x1;
  }

  /** Sets {@link #tsr()}. */
  public Frame tsr(int v) {
    put(2, 48, 0x1L, v);
    return this;
  }

  /** TSETH FTYPE; 1 in MRC 1.0. */
  public int fType() {
    return (int) (words[base + 2] >>> 49) & 0xf;
  }

  /** Sets {@link #fType()}. */
  public Frame fType(int v) {
    put(2, 49, 0xfL, v);
    return this;
  }

  /** METH: count of WRITEs with Immediate posted before or with this message. */
  public int rqMsn() {
    return (int) words[base + 3] & 0xffff;
  }

  /** Sets {@link #rqMsn()}. */
  public Frame rqMsn(int v) {
    put(3, 0, 0xffffL, v);
    return this;
  }

  /** METH: message number. */
  public int msn() {
    return (int) (words[base + 3] >>> 16) & 0xffff;
  }

  /** Sets {@link #msn()}. */
  public Frame msn(int v) {
    put(3, 16, 0xffffL, v);
    return this;
  }

  /** ImmDt. */
  public int immediate() {
    return (int) (words[base + 3] >>> 32);
  }

  /** Sets {@link #immediate()}. */
  public Frame immediate(int v) {
    put(3, 32, 0xffffffffL, v);
    return this;
  }

  /** RETH: address of this packet's first byte at the responder. */
  public long virtualAddress() {
    return words[base + 4];
  }

  /** Sets {@link #virtualAddress()}. */
  public Frame virtualAddress(long v) {
    words[base + 4] = v;
    return this;
  }

  /** RETH: remote key. */
  public int rKey() {
    return (int) words[base + 5];
  }

  /** Sets {@link #rKey()}. */
  public Frame rKey(int v) {
    put(5, 0, 0xffffffffL, v);
    return this;
  }

  /** RETH: bytes of the whole message, unsigned. */
  public int dmaLength() {
    return (int) (words[base + 5] >>> 32);
  }

  /** Sets {@link #dmaLength()}. */
  public Frame dmaLength(int v) {
    put(5, 32, 0xffffffffL, v);
    return this;
  }

  /** AETH syndrome; see {@link Syndrome}. */
  public int syndrome() {
    return (int) words[base + 3] & 0xff;
  }

  /** Sets {@link #syndrome()}. */
  public Frame syndrome(int v) {
    put(3, 0, 0xffL, v);
    return this;
  }

  /** AETH: messages completed. */
  public int completedMsn() {
    return (int) (words[base + 3] >>> 8) & 0xffffff;
  }

  /** Sets {@link #completedMsn()}. */
  public Frame completedMsn(int v) {
    put(3, 8, 0xffffffL, v);
    return this;
  }

  /** SETH, NETH: EV of the packet that triggered this one. */
  public int entropy() {
    return (int) words[base + 3];
  }

  /** Sets {@link #entropy()}. */
  public Frame entropy(int v) {
    put(3, 0, 0xffffffffL, v);
    return this;
  }

  /** SETH, NETH, PETH: low 16 bits of the sender's QP. */
  public int spdcid() {
    return (int) (words[base + 3] >>> 32) & 0xffff;
  }

  /** Sets {@link #spdcid()}. */
  public Frame spdcid(int v) {
    put(3, 32, 0xffffL, v);
    return this;
  }

  /** SETH, NETH, PETH: low 16 bits of the receiver's QP. */
  public int dpdcid() {
    return (int) (words[base + 3] >>> 48);
  }

  /** Sets {@link #dpdcid()}. */
  public Frame dpdcid(int v) {
    put(3, 48, 0xffffL, v);
    return this;
  }

  /** SETH: every PSN up to this one has arrived. */
  public int cackPsn() {
    return (int) words[base + 4] & 0xffffff;
  }

  /** Sets {@link #cackPsn()}. */
  public Frame cackPsn(int v) {
    put(4, 0, 0xffffffL, v);
    return this;
  }

  /**
   * SETH: signed distance from cack_psn to the packet that triggered the SACK; the probe id when
   * probeResponse is set.
   */
  public int ackPsnOffset() {
    return (short) (words[base + 4] >>> 24);
  }

  /** Sets {@link #ackPsnOffset()}. */
  public Frame ackPsnOffset(int v) {
    put(4, 24, 0xffffL, v);
    return this;
  }

  /** SETH: signed distance from cack_psn to the bitmap's bit 0. */
  public int sackOffset() {
    return (short) (words[base + 4] >>> 40);
  }

  /** Sets {@link #sackOffset()}. */
  public Frame sackOffset(int v) {
    put(4, 40, 0xffffL, v);
    return this;
  }

  /** SETH: maximum PSN range in units of 128 PSNs; 0 unless dynamic. */
  public int mpr() {
    return (int) (words[base + 4] >>> 56);
  }

  /** Sets {@link #mpr()}. */
  public Frame mpr(int v) {
    put(4, 56, 0xffL, v);
    return this;
  }

  /** SETH: bit i set = PSN cack_psn + sack_offset + i has arrived. */
  public long sackBitmap() {
    return words[base + 5];
  }

  /** Sets {@link #sackBitmap()}. */
  public Frame sackBitmap(long v) {
    words[base + 5] = v;
    return this;
  }

  /** CC_STATE: bytes received in units of 256 B, modulo 2^24. */
  public int rcvdBytes() {
    return (int) words[base + 6] & 0xffffff;
  }

  /** Sets {@link #rcvdBytes()}. */
  public Frame rcvdBytes(int v) {
    put(6, 0, 0xffffffL, v);
    return this;
  }

  /** CC_STATE: packets received beyond cack_psn. */
  public int oooCount() {
    return (int) (words[base + 6] >>> 24) & 0x7fff;
  }

  /** Sets {@link #oooCount()}. */
  public Frame oooCount(int v) {
    put(6, 24, 0x7fffL, v);
    return this;
  }

  /** CC_STATE: 1 = the requestor may restore its saved window. */
  public int restoreCwnd() {
    return (int) (words[base + 6] >>> 39) & 0x1;
  }

  /** Sets {@link #restoreCwnd()}. */
  public Frame restoreCwnd(int v) {
    put(6, 39, 0x1L, v);
    return this;
  }

  /** CC_STATE: receiver's penalty, 0…127. */
  public int rcvCwndPenalty() {
    return (int) (words[base + 6] >>> 40) & 0x7f;
  }

  /** Sets {@link #rcvCwndPenalty()}. */
  public Frame rcvCwndPenalty(int v) {
    put(6, 40, 0x7fL, v);
    return this;
  }

  /** SETH M: see {@link Mark}. */
  public int mark() {
    return (int) (words[base + 6] >>> 47) & 0x3;
  }

  /** Sets {@link #mark()}. */
  public Frame mark(int v) {
    put(6, 47, 0x3L, v);
    return this;
  }

  /** SETH PR: 1 = answers a reliability probe. */
  public int probeResponse() {
    return (int) (words[base + 6] >>> 49) & 0x1;
  }

  /** Sets {@link #probeResponse()}. */
  public Frame probeResponse(int v) {
    put(6, 49, 0x1L, v);
    return this;
  }

  /** SETH 0, NETH 2. */
  public int ccType() {
    return (int) (words[base + 6] >>> 50) & 0xf;
  }

  /** Sets {@link #ccType()}. */
  public Frame ccType(int v) {
    put(6, 50, 0xfL, v);
    return this;
  }

  /** SETH, NETH: congestion control flags. */
  public int ccFlags() {
    return (int) (words[base + 6] >>> 54) & 0xf;
  }

  /** Sets {@link #ccFlags()}. */
  public Frame ccFlags(int v) {
    put(6, 54, 0xfL, v);
    return this;
  }

  /** NETH: PSN that is refused. */
  public int nackPsn() {
    return (int) words[base + 4] & 0xffffff;
  }

  /** Sets {@link #nackPsn()}. */
  public Frame nackPsn(int v) {
    put(4, 0, 0xffffffL, v);
    return this;
  }

  /** NETH reason; see {@link NackReason}. */
  public int reason() {
    return (int) (words[base + 4] >>> 24) & 0xff;
  }

  /** Sets {@link #reason()}. */
  public Frame reason(int v) {
    put(4, 24, 0xffL, v);
    return this;
  }

  /** PETH probe id. */
  public int probeId() {
    return (int) (words[base + 4] >>> 24) & 0xffff;
  }

  /** Sets {@link #probeId()}. */
  public Frame probeId(int v) {
    put(4, 24, 0xffffL, v);
    return this;
  }

  /** NETH, PETH, ERTH vendor information. */
  public int vendorInfo() {
    return (int) (words[base + 4] >>> 40) & 0xff;
  }

  /** Sets {@link #vendorInfo()}. */
  public Frame vendorInfo(int v) {
    put(4, 40, 0xffL, v);
    return this;
  }

  /** ERTH: bit n − 1 = port n is up. */
  public int portStatusMask() {
    return (int) words[base + 3];
  }

  /** Sets {@link #portStatusMask()}. */
  public Frame portStatusMask(int v) {
    put(3, 0, 0xffffffffL, v);
    return this;
  }

  /** ERTH, EETH operation; see {@link EndpointOp}. */
  public int op() {
    return (int) (words[base + 4] >>> 48) & 0x3;
  }

  /** Sets {@link #op()}. */
  public Frame op(int v) {
    put(4, 48, 0x3L, v);
    return this;
  }

  /** BTH A: acknowledge at once. */
  public boolean ackRequest() {
    return (words[base] >>> 16 & 1) != 0;
  }

  /** Sets {@link #ackRequest()}. */
  public Frame ackRequest(boolean v) {
    put(0, 16, 1L, v ? 1 : 0);
    return this;
  }

  /** BTH R (RTX): a retransmission. */
  public boolean rtx() {
    return (words[base] >>> 17 & 1) != 0;
  }

  /** Sets {@link #rtx()}. */
  public Frame rtx(boolean v) {
    put(0, 17, 1L, v ? 1 : 0);
    return this;
  }

  /** BTH TS: a TSETH follows METH. */
  public boolean timestamped() {
    return (words[base] >>> 18 & 1) != 0;
  }

  /** Sets {@link #timestamped()}. */
  public Frame timestamped(boolean v) {
    put(0, 18, 1L, v ? 1 : 0);
    return this;
  }

  /** BTH SE: solicited event. */
  public boolean solicited() {
    return (words[base] >>> 19 & 1) != 0;
  }

  /** Sets {@link #solicited()}. */
  public Frame solicited(boolean v) {
    put(0, 19, 1L, v ? 1 : 0);
    return this;
  }

  /** BTH M, not used by MRC. */
  public boolean migration() {
    return (words[base] >>> 20 & 1) != 0;
  }

  /** Sets {@link #migration()}. */
  public Frame migration(boolean v) {
    put(0, 20, 1L, v ? 1 : 0);
    return this;
  }

  /** The payload was cut off on the way; headers beyond BTH may read zero. */
  public boolean trimmed() {
    return (words[base] >>> 21 & 1) != 0;
  }

  /** Sets {@link #trimmed()}. */
  public Frame trimmed(boolean v) {
    put(0, 21, 1L, v ? 1 : 0);
    return this;
  }

  /** The ICRC was present and wrong: nothing else can be trusted. */
  public boolean icrcBad() {
    return (words[base] >>> 22 & 1) != 0;
  }

  /** Sets {@link #icrcBad()}. */
  public Frame icrcBad(boolean v) {
    put(0, 22, 1L, v ? 1 : 0);
    return this;
  }

  /** This host had no buffer for the payload, only headers are here; never on the wire. */
  public boolean noBuffer() {
    return (words[base] >>> 23 & 1) != 0;
  }

  /** Sets {@link #noBuffer()}. */
  public Frame noBuffer(boolean v) {
    put(0, 23, 1L, v ? 1 : 0);
    return this;
  }

  /** High 64 bits of the source address. */
  public long srcHi() {
    return words[base + 7];
  }

  /** Low 64 bits of the source address. */
  public long srcLo() {
    return words[base + 8];
  }

  /** Sets the source address. */
  public Frame src(long hi, long lo) {
    words[base + 7] = hi;
    words[base + 8] = lo;
    return this;
  }

  /** High 64 bits of the destination address. */
  public long dstHi() {
    return words[base + 9];
  }

  /** Low 64 bits of the destination address. */
  public long dstLo() {
    return words[base + 10];
  }

  /** Sets the destination address. */
  public Frame dst(long hi, long lo) {
    words[base + 9] = hi;
    words[base + 10] = lo;
    return this;
  }

  /** The posting host's handle of the message whose bytes this packet carries. */
  public int payloadRef() {
    return (int) words[base + 11];
  }

  /** Offset of this packet's first byte in that message: 0 … 2^32 − 1. */
  public long payloadOffset() {
    return words[base + 11] >>> 32;
  }

  /** Sets {@link #payloadRef()} and {@link #payloadOffset()}. */
  public Frame payload(int ref, long offset) {
    words[base + 11] = offset << 32 | (ref & 0xffff_ffffL);
    return this;
  }

  /** The UDP source port: bits 15:0 of the EV. */
  public int srcPort() {
    return ev() & 0xffff;
  }

  /** Bytes of BTH and the headers after it, or −1 when the opcode is not MRC's. */
  public int headerBytes() {
    int extension = Opcode.extensionBytes(opcode(), timestamped());
    return extension < 0 ? -1 : 12 + extension;
  }

  /** UDP length as sent: UDP header, headers, payload, pad and ICRC. */
  public int udpLength() {
    return 8 + headerBytes() + payloadLength() + padCount() + 4;
  }

  /** What NSCC and {@code rcvd_bytes} count for a packet: UDP length + 40 (the nominal size). */
  public int nominalBytes() {
    return udpLength() + 40;
  }
}

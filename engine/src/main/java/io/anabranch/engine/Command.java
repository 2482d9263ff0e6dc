package io.anabranch.engine;

import io.anabranch.engine.config.PeerConfig;
import io.anabranch.engine.config.QpConfig;
import io.anabranch.engine.config.RequestorAttributes;
import io.anabranch.engine.config.ResponderAttributes;

/** What the application side asks of an engine. Numbers (QPs, keys, handles) are the caller's. */
public sealed interface Command {
  /** Makes a peer known. {@code peer} is a small number of the caller's, 0 … 2^20 − 1. */
  record AddPeer(int peer, PeerConfig config) implements Command {}

  /** Forgets a peer that no queue pair uses. */
  record RemovePeer(int peer) implements Command {}

  /** Makes a queue pair in INIT. */
  record CreateQp(int qp, QpConfig config) implements Command {}

  /** INIT → RTR: from now on it answers its peer. */
  record ReadyToReceive(int qp, ResponderAttributes attributes) implements Command {}

  /** RTR → RTS: from now on it sends. */
  record ReadyToSend(int qp, RequestorAttributes attributes) implements Command {}

  /** Any state → ERROR: outstanding work is flushed in order. */
  record ErrorQp(int qp) implements Command {}

  /** Forgets a queue pair; nothing completes after it. */
  record DestroyQp(int qp) implements Command {}

  /**
   * Registers memory.
   *
   * @param rKey the key that remote writes name
   * @param region the handle that {@link Memory#place} gets
   * @param address virtual address of its first byte
   * @param length bytes
   * @param domain protection domain; must equal the queue pair's
   * @param remoteWrite whether remote writes are allowed
   */
  record RegisterRegion(
      int rKey, int region, long address, long length, int domain, boolean remoteWrite)
      implements Command {}

  /** Withdraws a key; packets that name it fail from now on. */
  record DeregisterRegion(int rKey) implements Command {}

  /**
   * Grants a queue pair's peer another MPR from now on; only where dynamic MPR was agreed.
   *
   * @param mprPackets a multiple of 128, 8 … 255 units
   */
  record GrantMpr(int qp, int mprPackets) implements Command {}

  /**
   * How far this host is behind with receiving: rcv_cwnd_pen of all its SACKs.
   *
   * @param penalty 0 … 127; back at 0 peers may restore their windows
   */
  record ReceiverPenalty(int penalty) implements Command {}

  /**
   * The controller's word on an EV of a queue pair: DENIED, or GOOD again.
   *
   * @param evIndex entry of the peer's EV table
   */
  record SetEvState(int qp, int evIndex, boolean denied) implements Command {}

  /** Posts a receive for one WRITE with Immediate. */
  record PostReceive(int qp, long wrId) implements Command {}

  /**
   * Posts an RDMA WRITE, with or without immediate. Mutable and reusable, so that posting allocates
   * nothing: the engine copies it.
   */
  final class PostWrite implements Command {
    /** Local QP number. */
    public int qp;

    /** Returned with the completion. */
    public long wrId;

    /** The caller's handle of the bytes; comes back in {@code Frame.payloadRef}. */
    public int payloadRef;

    /** Address at the responder. */
    public long remoteAddress;

    /** Key at the responder. */
    public int rKey;

    /** 1 … 2^32 − 1 bytes; 0 is allowed with immediate. */
    public long length;

    /** Whether it carries an immediate. */
    public boolean withImmediate;

    /** The immediate. */
    public int immediate;

    /** Whether success is reported; failure always is. */
    public boolean signaled = true;

    /** Sets BTH.SE on the last packet. */
    public boolean solicited;
  }
}

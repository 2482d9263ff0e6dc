package io.anabranch.wire.mrc;

/** Values of ERTH.op and EETH.op, and the QP that endpoint operations go to. */
public final class EndpointOp {
  public static final int PORT_STATUS = 0;
  public static final int EV_PROBE = 1;

  /** Destination QP of endpoint requests and responses. */
  public static final int QP = 2;

  private EndpointOp() {}
}

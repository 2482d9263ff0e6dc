package io.anabranch.engine;

/** Asynchronous events of an engine. */
public enum EngineEvent {
  /** A queue pair went to ERROR as requestor; detail = ordinal of the {@link Status}. */
  QP_FATAL,

  /** A queue pair went to ERROR as responder; detail = the AETH syndrome it answered with. */
  QP_ACCESS_ERROR,

  /** A local port came up; detail = port, from 0. */
  PORT_ACTIVE,

  /** A local port went down; detail = port, from 0. */
  PORT_DOWN,

  /** A plane was set aside towards a peer; detail = peer &lt;&lt; 32 | port. */
  PLANE_LEFT,

  /** A plane is used again towards a peer; detail = peer &lt;&lt; 32 | port. */
  PLANE_BACK
}

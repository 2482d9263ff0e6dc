package io.anabranch.engine;

/** Queue pair states. RESET exists only above the engine, which makes queue pairs in INIT. */
public enum QpState {
  RESET,
  INIT,
  RTR,
  RTS,
  ERROR
}

package io.anabranch.engine;

/** Completion statuses, named as in verbs. */
public enum Status {
  SUCCESS,
  LOC_LEN_ERR,
  LOC_PROT_ERR,
  WR_FLUSH_ERR,
  REM_INV_REQ_ERR,
  REM_ACCESS_ERR,
  REM_OP_ERR,
  RETRY_EXC_ERR,
  GENERAL_ERR
}

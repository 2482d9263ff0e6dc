package io.anabranch.verbs;

/** What may be done to a memory region, beyond reading it for one's own writes. */
public enum Access {
  /** This side may write to it. */
  LOCAL_WRITE,
  /** Peers of queue pairs in its protection domain may write to it; needs LOCAL_WRITE. */
  REMOTE_WRITE
}

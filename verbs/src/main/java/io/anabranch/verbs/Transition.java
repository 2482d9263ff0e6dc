package io.anabranch.verbs;

import io.anabranch.engine.QpState;
import io.anabranch.verbs.MrcException.Code;
import org.jspecify.annotations.Nullable;

/** The steps that a queue pair's state may take, and the attributes each needs or takes. */
enum Transition {
  RESET_TO_INIT(
      QpState.RESET,
      QpState.INIT,
      mask(QpAttribute.HINT, QpAttribute.EV_PROFILE, QpAttribute.CC_PROFILE),
      mask()),
  INIT_TO_RTR(
      QpState.INIT,
      QpState.RTR,
      mask(
          QpAttribute.PEER,
          QpAttribute.DEST_QP_NUMBER,
          QpAttribute.RECEIVE_PSN,
          QpAttribute.PATH_MTU,
          QpAttribute.MAX_WIMM_RESPONDER,
          QpAttribute.MPR_RESPONDER),
      mask(QpAttribute.DYNAMIC_MPR_RESPONDER)),
  RTR_TO_RTS(
      QpState.RTR,
      QpState.RTS,
      mask(
          QpAttribute.SEND_PSN,
          QpAttribute.MAX_WIMM_REQUESTOR,
          QpAttribute.MPR_REQUESTOR,
          QpAttribute.TIMEOUT,
          QpAttribute.RETRY_LINEAR,
          QpAttribute.RETRY_EXPONENTIAL),
      mask(QpAttribute.DYNAMIC_MPR_REQUESTOR)),
  TO_ERROR(null, QpState.ERROR, mask(), mask()),
  TO_RESET(null, QpState.RESET, mask(), mask());

  private final @Nullable QpState from;
  private final QpState to;
  private final int required;
  private final int optional;

  Transition(@Nullable QpState from, QpState to, int required, int optional) {
    this.from = from;
    this.to = to;
    this.required = required;
    this.optional = optional;
  }

  private static int mask(QpAttribute... attributes) {
    int mask = 0;
    for (QpAttribute attribute : attributes) {
      mask |= 1 << attribute.ordinal();
    }
    return mask;
  }

  private static boolean has(int mask, QpAttribute attribute) {
    return (mask >>> attribute.ordinal() & 1) != 0;
  }

  /** The step that a set of attributes asks for; refuses what does not belong to it. */
  static Transition of(QpState from, QpAttributes attributes) {
    for (QpAttribute attribute : QpAttribute.values()) {
      if (!attribute.supported() && attributes.has(attribute)) {
        throw new MrcException(Code.ENOTSUP, attribute + ": not an attribute of MRC");
      }
    }
    QpState to = attributes.state();
    if (to == null) {
      throw new MrcException(Code.EINVAL, "STATE: missing");
    }
    for (Transition step : values()) {
      if (step.to == to && (step.from == null || step.from == from)) {
        step.check(from, attributes);
        return step;
      }
    }
    throw MrcException.invalid(
        "STATE", from + " → " + to, "RESET → INIT → RTR → RTS, ERROR, RESET");
  }

  private void check(QpState current, QpAttributes attributes) {
    for (QpAttribute attribute : QpAttribute.values()) {
      boolean has = attributes.has(attribute);
      boolean needed = has(required, attribute);
      if (needed && !has) {
        throw new MrcException(
            Code.EINVAL, attribute + ": missing, needed for " + current + " → " + to);
      }
      if (has && !needed && !has(optional, attribute) && attribute != QpAttribute.STATE) {
        throw new MrcException(
            Code.EINVAL, attribute + ": not an attribute of " + current + " → " + to);
      }
    }
  }
}

package io.anabranch.verbs;

import io.anabranch.engine.QpState;
import io.anabranch.verbs.MrcException.Code;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A set of attributes of a queue pair, to modify it with or as it was queried. Not thread safe. */
public final class QpAttributes {
  private final Map<QpAttribute, Object> values = new EnumMap<>(QpAttribute.class);

  /** None. */
  public QpAttributes() {}

  /** Attributes for going to a state. */
  public static QpAttributes to(QpState state) {
    return new QpAttributes().state(state);
  }

  /** Sets STATE. */
  public QpAttributes state(QpState value) {
    values.put(QpAttribute.STATE, value);
    return this;
  }

  /** Sets HINT. */
  public QpAttributes hint(QpHint value) {
    values.put(QpAttribute.HINT, value);
    return this;
  }

  /** Sets EV_PROFILE. */
  public QpAttributes evProfile(EvProfile value) {
    values.put(QpAttribute.EV_PROFILE, value);
    return this;
  }

  /** Sets CC_PROFILE. */
  public QpAttributes ccProfile(CcProfile value) {
    values.put(QpAttribute.CC_PROFILE, value);
    return this;
  }

  /** Sets PEER. */
  public QpAttributes peer(Peer value) {
    values.put(QpAttribute.PEER, value);
    return this;
  }

  /**
   * Sets an attribute that is a number. One that MRC does not have can be set, and is then refused
   * by {@link QueuePair#modify}.
   *
   * @throws MrcException EINVAL when it is no number or outside its range
   */
  public QpAttributes set(QpAttribute attribute, long value) {
    if (!attribute.isNumber()) {
      throw new MrcException(Code.EINVAL, attribute + ": not a number");
    }
    if (attribute.supported()) {
      attribute.check(value);
    }
    values.put(attribute, value);
    return this;
  }

  /** Removes an attribute. */
  public QpAttributes remove(QpAttribute attribute) {
    values.remove(attribute);
    return this;
  }

  /** The attributes that are set. */
  public Set<QpAttribute> attributes() {
    return Set.copyOf(values.keySet());
  }

  boolean has(QpAttribute attribute) {
    return values.containsKey(attribute);
  }

  /** The state, or null if not set. */
  public @Nullable QpState state() {
    return (QpState) values.get(QpAttribute.STATE);
  }

  /** The hint, or null if not set. */
  public @Nullable QpHint hint() {
    return (QpHint) values.get(QpAttribute.HINT);
  }

  /** The EV profile, or null if not set. */
  public @Nullable EvProfile evProfile() {
    return (EvProfile) values.get(QpAttribute.EV_PROFILE);
  }

  /** The CC profile, or null if not set. */
  public @Nullable CcProfile ccProfile() {
    return (CcProfile) values.get(QpAttribute.CC_PROFILE);
  }

  /** The peer, or null if not set. */
  public @Nullable Peer peer() {
    return (Peer) values.get(QpAttribute.PEER);
  }

  /**
   * An attribute that is a number.
   *
   * @throws MrcException EINVAL when it is no number; ENOENT when it is not set
   */
  public long number(QpAttribute attribute) {
    if (!attribute.isNumber()) {
      throw new MrcException(Code.EINVAL, attribute + ": not a number");
    }
    Object value = values.get(attribute);
    if (value == null) {
      throw new MrcException(Code.ENOENT, attribute + ": not set");
    }
    return (Long) value;
  }

  int integer(QpAttribute attribute) {
    return (int) number(attribute);
  }

  boolean flag(QpAttribute attribute) {
    return has(attribute) && number(attribute) == 1;
  }

  /** Takes over what another set has. */
  void putAll(QpAttributes other) {
    values.putAll(other.values);
  }

  void clear() {
    values.clear();
  }

  @Override
  public String toString() {
    return values.toString();
  }
}

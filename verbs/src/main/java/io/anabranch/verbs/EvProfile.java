package io.anabranch.verbs;

import io.anabranch.engine.config.EvTable;
import org.jspecify.annotations.Nullable;

/**
 * Which entropy values queue pairs towards a peer use, as far as a connection needs to know.
 *
 * @param mode who chooses the EVs
 * @param minActive EVs in rotation below which no more are taken out as bad, all planes together; 1
 *     … 4096
 * @param active EVs wanted in rotation, all planes together, at least {@code minActive}; the others
 *     are backups. 0: {@value #ACTIVE_PER_PLANE} a plane
 * @param evs the EVs of EXPLICIT, else null
 */
public record EvProfile(Mode mode, int minActive, int active, @Nullable EvTable evs) {
  /** Default for EVs in rotation, a plane: a driver over sockets has 16. */
  public static final int ACTIVE_PER_PLANE = 12;

  private static final int MAX = 4096;
  private static final int MIN_ACTIVE = 4;

  /** Who chooses EVs. */
  public enum Mode {
    /** The device. */
    AUTO,
    /**
     * The caller. Only for devices whose packets carry any EV, as a simulated NIC's do; real
     * sockets carry those alone that they chose themselves.
     */
    EXPLICIT
  }

  /** Checks ranges. */
  public EvProfile {
    MrcException.range("minActive", minActive, 1, MAX);
    MrcException.range("active", active, active == 0 ? 0 : minActive, MAX);
    if ((mode == Mode.EXPLICIT) != (evs != null)) {
      throw MrcException.invalid("evs", evs == null ? "none" : "given", "for EXPLICIT alone");
    }
    if (evs != null) {
      MrcException.range("minActive", minActive, 1, evs.size());
    }
  }

  /** The device chooses; at least 4 stay in rotation. */
  public static EvProfile auto() {
    return new EvProfile(Mode.AUTO, MIN_ACTIVE, 0, null);
  }

  /** The caller chooses. */
  public static EvProfile explicit(EvTable evs, int minActive, int active) {
    return new EvProfile(Mode.EXPLICIT, minActive, active, evs);
  }

  int activeOf(int ports) {
    return active == 0 ? Math.max(minActive, Math.min(MAX, ports * ACTIVE_PER_PLANE)) : active;
  }
}

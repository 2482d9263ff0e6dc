package io.anabranch.fabric.workload;

import java.util.Arrays;

/**
 * Transfers and what starts each: flat arrays by flow and by trigger. A flow starts at a time or
 * when a trigger fires; when its sender knows all of it acknowledged it may fire a trigger.
 */
public final class Traffic {
  /** No trigger. */
  public static final int NONE = -1;

  /** How a trigger starts the flows that wait for it. */
  public enum TriggerKind {
    /** All of them, at its first firing. */
    ONESHOT,
    /** The next of them, in their order, at each firing. */
    MULTISHOT,
    /** All of them, once it was fired a number of times. */
    BARRIER
  }

  private int[] source = new int[16];
  private int[] destination = new int[16];
  private long[] bytes = new long[16];
  private long[] startPs = new long[16];
  private int[] waitsFor = new int[16];
  private int[] fires = new int[16];
  private int[] evSet = new int[16];
  private int flows;
  private TriggerKind[] kinds = new TriggerKind[4];
  private int[] firings = new int[4];
  private int triggers;

  /**
   * Adds a trigger.
   *
   * @param needed firings after which a barrier opens; 1 for the other kinds
   * @return its number, counted from 0
   */
  public int addTrigger(TriggerKind kind, int needed) {
    if (needed < 1) {
      throw new IllegalArgumentException("needed: " + needed + ", allowed at least 1");
    }
    if (triggers == kinds.length) {
      kinds = Arrays.copyOf(kinds, triggers * 2);
      firings = Arrays.copyOf(firings, triggers * 2);
    }
    kinds[triggers] = kind;
    firings[triggers] = needed;
    return triggers++;
  }

  /**
   * Adds a flow that starts at a time.
   *
   * @return its number, counted from 0
   */
  public int add(int from, int to, long size, long atPs) {
    if (atPs < 0) {
      throw new IllegalArgumentException("atPs: " + atPs + ", allowed at least 0");
    }
    return append(from, to, size, atPs, NONE);
  }

  /** Adds a flow that starts when a trigger fires. */
  public int addWaiting(int from, int to, long size, int trigger) {
    if (trigger < 0 || trigger >= triggers) {
      throw new IllegalArgumentException("trigger: " + trigger + ", allowed 0…" + (triggers - 1));
    }
    return append(from, to, size, -1, trigger);
  }

  private int append(int from, int to, long size, long atPs, int trigger) {
    if (from < 0 || to < 0 || from == to) {
      throw new IllegalArgumentException("flow " + from + " → " + to + ": two different hosts");
    }
    if (size < 1) {
      throw new IllegalArgumentException("size: " + size + ", allowed at least 1");
    }
    if (flows == source.length) {
      int larger = flows * 2;
      source = Arrays.copyOf(source, larger);
      destination = Arrays.copyOf(destination, larger);
      bytes = Arrays.copyOf(bytes, larger);
      startPs = Arrays.copyOf(startPs, larger);
      waitsFor = Arrays.copyOf(waitsFor, larger);
      fires = Arrays.copyOf(fires, larger);
      evSet = Arrays.copyOf(evSet, larger);
    }
    source[flows] = from;
    destination[flows] = to;
    bytes[flows] = size;
    startPs[flows] = atPs;
    waitsFor[flows] = trigger;
    fires[flows] = NONE;
    evSet[flows] = NONE;
    return flows++;
  }

  /** When a flow is acknowledged, a trigger fires. */
  public void fires(int flow, int trigger) {
    if (trigger < 0 || trigger >= triggers) {
      throw new IllegalArgumentException("trigger: " + trigger + ", allowed 0…" + (triggers - 1));
    }
    fires[flow] = trigger;
  }

  /** A flow uses an EV set of its own: an index into the list that the fabric is given. */
  public void evSet(int flow, int set) {
    evSet[flow] = set;
  }

  /** How many flows. */
  public int flows() {
    return flows;
  }

  /** How many triggers. */
  public int triggers() {
    return triggers;
  }

  /** A flow's sending host. */
  public int source(int flow) {
    return source[flow];
  }

  /** A flow's receiving host. */
  public int destination(int flow) {
    return destination[flow];
  }

  /** A flow's payload. */
  public long bytes(int flow) {
    return bytes[flow];
  }

  /** When a flow starts, or −1 if a trigger starts it. */
  public long startPs(int flow) {
    return startPs[flow];
  }

  /** The trigger that starts a flow, or {@link #NONE}. */
  public int waitsFor(int flow) {
    return waitsFor[flow];
  }

  /** The trigger that a flow fires, or {@link #NONE}. */
  public int fires(int flow) {
    return fires[flow];
  }

  /** A flow's EV set, or {@link #NONE} for the common one. */
  public int evSet(int flow) {
    return evSet[flow];
  }

  /** A trigger's kind. */
  public TriggerKind kind(int trigger) {
    return kinds[trigger];
  }

  /** Firings after which a barrier opens. */
  public int needed(int trigger) {
    return firings[trigger];
  }
}

package io.anabranch.fabric.workload;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Transfers and what starts each: flat arrays by flow and by trigger. A flow starts at a time or
 * when a trigger fires; when its sender knows all of it acknowledged it may fire triggers.
 */
public final class Traffic {
  /** No trigger. */
  public static final int NONE = -1;

  /** A trigger that starts flows whenever it fires. */
  public static final long NEVER = Long.MAX_VALUE;

  /** How a trigger starts the flows that wait for it. */
  public enum TriggerKind {
    /** All of them, at its first firing. */
    ONESHOT,
    /** The next of them, in their order, at each firing. */
    MULTISHOT,
    /** All of them, once it was fired a number of times. */
    BARRIER
  }

  /**
   * Flows that belong together, one behind the other.
   *
   * @param first its first flow
   * @param end one beyond its last flow
   * @param perRound flows of each of its rounds, which follow each other
   * @param opener within a round, a flow that starts when the round begins
   * @param closesPs no round but the first begins from then on; {@link #NEVER}: all do
   */
  public record Job(int first, int end, int perRound, int opener, long closesPs) {
    /** Rounds at most. */
    public int rounds() {
      return (end - first) / perRound;
    }

    /** The flow by which one knows whether a flow's round has begun. */
    int openerOf(int flow) {
      return flow - (flow - first) % perRound + opener;
    }
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
  private long[] closesPs = new long[0];

  // Triggers beyond a flow's first one: entries of a trigger and the entry behind it.
  private int[] moreOf = new int[0];
  private int[] moreTrigger = new int[0];
  private int[] moreNext = new int[0];
  private int more;
  private final List<Job> jobs = new ArrayList<>();

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
    checkTrigger(trigger);
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

  /** When a flow is acknowledged, a trigger fires, after those named before. */
  public void fires(int flow, int trigger) {
    checkTrigger(trigger);
    if (fires[flow] == NONE) {
      fires[flow] = trigger;
      return;
    }
    if (moreOf.length < source.length) {
      int from = moreOf.length;
      moreOf = Arrays.copyOf(moreOf, source.length);
      Arrays.fill(moreOf, from, moreOf.length, NONE);
    }
    if (more == moreTrigger.length) {
      moreTrigger = Arrays.copyOf(moreTrigger, Math.max(16, more * 2));
      moreNext = Arrays.copyOf(moreNext, moreTrigger.length);
    }
    moreTrigger[more] = trigger;
    moreNext[more] = NONE;
    if (moreOf[flow] == NONE) {
      moreOf[flow] = more++;
      return;
    }
    int last = moreOf[flow];
    while (moreNext[last] != NONE) {
      last = moreNext[last];
    }
    moreNext[last] = more++;
  }

  private void checkTrigger(int trigger) {
    if (trigger < 0 || trigger >= triggers) {
      throw new IllegalArgumentException("trigger: " + trigger + ", allowed 0…" + (triggers - 1));
    }
  }

  /** A trigger that fires at that time or later starts nothing. */
  public void closes(int trigger, long atPs) {
    checkTrigger(trigger);
    if (trigger >= closesPs.length) {
      int from = closesPs.length;
      closesPs = Arrays.copyOf(closesPs, kinds.length);
      Arrays.fill(closesPs, from, closesPs.length, NEVER);
    }
    closesPs[trigger] = atPs;
  }

  /** The flows from {@code first} on are a job; the ones of the job before end there. */
  public void job(int first, int perRound, int opener, long closes) {
    int from = jobs.isEmpty() ? 0 : jobs.getLast().end();
    if (first != from || perRound < 1 || (flows - first) % perRound != 0 || first == flows) {
      throw new IllegalArgumentException(
          "job: flows " + first + "…" + flows + " in rounds of " + perRound);
    }
    jobs.add(new Job(first, flows, perRound, opener, closes));
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

  /**
   * A trigger that a flow fires.
   *
   * @param which counted from 0, in the order in which they were named
   * @return {@link #NONE} if it does not fire so many
   */
  public int fired(int flow, int which) {
    if (which == 0) {
      return fires[flow];
    }
    int entry = flow < moreOf.length ? moreOf[flow] : NONE;
    for (int i = 1; i < which && entry != NONE; i++) {
      entry = moreNext[entry];
    }
    return entry == NONE ? NONE : moreTrigger[entry];
  }

  /** From when on a trigger starts nothing, or {@link #NEVER}. */
  public long closesPs(int trigger) {
    return trigger < closesPs.length ? closesPs[trigger] : NEVER;
  }

  /** The jobs; none, or all flows belong to one. */
  public List<Job> jobs() {
    return List.copyOf(jobs);
  }

  /** The number of a flow's job; there must be jobs. */
  public int jobOf(int flow) {
    int low = 0;
    int high = jobs.size() - 1;
    while (low < high) {
      int middle = low + high >>> 1;
      if (flow < jobs.get(middle).end()) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** Whether a flow's round may not take place: a later one of a job that ends at a time. */
  public boolean optional(int flow) {
    if (jobs.isEmpty()) {
      return false;
    }
    Job job = jobs.get(jobOf(flow));
    return job.closesPs() != NEVER && flow - job.first() >= job.perRound();
  }

  /** The flow whose start tells whether a flow's round has begun; itself where there are none. */
  public int openerOf(int flow) {
    return jobs.isEmpty() ? flow : jobs.get(jobOf(flow)).openerOf(flow);
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

package io.anabranch.engine.timer;

import java.util.Arrays;

/**
 * Owners ordered by deadline: a binary heap with each owner's position, so that a deadline moves in
 * O(log n) and the earliest is exact. One entry an owner, never one a packet; an owner's entry may
 * lie before its real deadline (it is then looked at early and put back), so that the usual move,
 * later, costs nothing.
 *
 * <p>Ties are broken by owner number: order never depends on the history of the heap.
 */
public final class DeadlineHeap {
  private int[] heap = new int[8];
  private int[] position = new int[8];
  private long[] keyNs = new long[8];
  private int size;

  /** An empty heap. */
  public DeadlineHeap() {
    Arrays.fill(position, -1);
  }

  /** The earliest deadline, or {@link Timers#NEVER}. */
  public long earliestNs() {
    return size == 0 ? Timers.NEVER : keyNs[heap[0]];
  }

  /** The owner of the earliest deadline; the heap must not be empty. */
  public int first() {
    return heap[0];
  }

  /** Sets an owner's deadline; {@link Timers#NEVER} removes it. */
  public void set(int owner, long atNs) {
    grow(owner);
    int at = position[owner];
    if (atNs == Timers.NEVER) {
      if (at >= 0) {
        remove(at);
      }
      return;
    }
    keyNs[owner] = atNs;
    if (at < 0) {
      at = size++;
      place(at, owner);
    }
    up(at);
    down(position[owner]);
  }

  /** Moves an owner's deadline forward to {@code atNs} if it is later or not set. */
  public void atMost(int owner, long atNs) {
    if (atNs == Timers.NEVER) {
      return;
    }
    grow(owner);
    if (position[owner] < 0 || keyNs[owner] > atNs) {
      set(owner, atNs);
    }
  }

  private void grow(int owner) {
    if (owner >= position.length) {
      int length = Math.max(owner + 1, position.length * 2);
      int old = position.length;
      position = Arrays.copyOf(position, length);
      Arrays.fill(position, old, length, -1);
      keyNs = Arrays.copyOf(keyNs, length);
      heap = Arrays.copyOf(heap, length);
    }
  }

  private void remove(int at) {
    position[heap[at]] = -1;
    int last = heap[--size];
    if (at < size) {
      place(at, last);
      up(at);
      down(position[last]);
    }
  }

  private void place(int at, int owner) {
    heap[at] = owner;
    position[owner] = at;
  }

  private boolean before(int a, int b) {
    return keyNs[a] != keyNs[b] ? keyNs[a] < keyNs[b] : a < b;
  }

  private void up(int from) {
    int owner = heap[from];
    int at = from;
    while (at > 0) {
      int parent = at - 1 >>> 1;
      if (!before(owner, heap[parent])) {
        break;
      }
      place(at, heap[parent]);
      at = parent;
    }
    place(at, owner);
  }

  private void down(int from) {
    int owner = heap[from];
    int at = from;
    while (true) {
      int child = 2 * at + 1;
      if (child >= size) {
        break;
      }
      if (child + 1 < size && before(heap[child + 1], heap[child])) {
        child++;
      }
      if (!before(heap[child], owner)) {
        break;
      }
      place(at, heap[child]);
      at = child;
    }
    place(at, owner);
  }
}

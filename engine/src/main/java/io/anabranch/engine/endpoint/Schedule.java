package io.anabranch.engine.endpoint;

import io.anabranch.engine.endpoint.QueuePair.Place;
import org.jspecify.annotations.Nullable;

/** A circular list of queue pairs with a cursor: round robin without allocation. */
final class Schedule {
  private final Place place;
  private @Nullable QueuePair cursor;
  private int size;

  Schedule(Place place) {
    this.place = place;
  }

  int size() {
    return size;
  }

  /** The queue pair whose turn it is, or null. */
  @Nullable QueuePair current() {
    return cursor;
  }

  /** Passes the turn on. */
  void advance() {
    if (cursor != null) {
      cursor = cursor.next;
    }
  }

  /** Adds a queue pair that stands nowhere, behind all others. */
  void add(QueuePair q) {
    q.place = place;
    QueuePair first = cursor;
    if (first == null || first.previous == null) {
      q.next = q;
      q.previous = q;
      cursor = q;
    } else {
      QueuePair last = first.previous;
      last.next = q;
      q.previous = last;
      q.next = first;
      first.previous = q;
    }
    size++;
  }

  /** Takes a queue pair out; the turn passes to the one behind it. */
  void remove(QueuePair q) {
    q.place = Place.NOWHERE;
    size--;
    QueuePair after = q.next;
    QueuePair before = q.previous;
    if (size == 0 || after == null || before == null) {
      cursor = null;
    } else {
      before.next = after;
      after.previous = before;
      if (cursor == q) {
        cursor = after;
      }
    }
    q.next = null;
    q.previous = null;
  }
}

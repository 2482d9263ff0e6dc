package io.anabranch.fabric.event;

import java.util.Arrays;

/** Times with a number each, the earliest first and at one time the lowest number; a heap. */
public final class TimeHeap {
  private static final int FIRST_CAPACITY = 16;

  private long[] atPs = new long[FIRST_CAPACITY];
  private int[] numbers = new int[FIRST_CAPACITY];
  private int count;

  /** Nothing is due. */
  public TimeHeap() {}

  /** How many there are. */
  public int size() {
    return count;
  }

  /** When the first is due, or {@code Long.MAX_VALUE}. */
  public long firstPs() {
    return count == 0 ? Long.MAX_VALUE : atPs[0];
  }

  /** Adds a time. */
  public void add(long at, int number) {
    if (count == numbers.length) {
      atPs = Arrays.copyOf(atPs, 2 * count);
      numbers = Arrays.copyOf(numbers, 2 * count);
    }
    int i = count++;
    while (i > 0 && isAfter(i - 1 >> 1, at, number)) {
      set(i, atPs[i - 1 >> 1], numbers[i - 1 >> 1]);
      i = i - 1 >> 1;
    }
    set(i, at, number);
  }

  /** Takes out the first; there must be one. Its number. */
  public int take() {
    int first = numbers[0];
    count--;
    long at = atPs[count];
    int number = numbers[count];
    int i = 0;
    while (2 * i + 1 < count) {
      int child = 2 * i + 1;
      if (child + 1 < count && isAfter(child, atPs[child + 1], numbers[child + 1])) {
        child++;
      }
      if (isAfter(child, at, number)) {
        break;
      }
      set(i, atPs[child], numbers[child]);
      i = child;
    }
    set(i, at, number);
    return first;
  }

  private void set(int i, long at, int number) {
    atPs[i] = at;
    numbers[i] = number;
  }

  /** Whether what is at {@code i} comes after a time and number. */
  private boolean isAfter(int i, long at, int number) {
    return atPs[i] > at || atPs[i] == at && numbers[i] > number;
  }
}

package io.anabranch.engine.endpoint;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Objects by number: open addressing without boxing, in no order that anything depends on. */
final class IntTable<V> {
  private int[] keys = new int[16];
  private @Nullable Object[] values = new Object[16];
  private int size;

  int size() {
    return size;
  }

  private int slot(int key) {
    int h = key * 0x9E3779B9;
    return (h ^ h >>> 15) & keys.length - 1;
  }

  private int find(int key) {
    int i = slot(key);
    while (values[i] != null && keys[i] != key) {
      i = i + 1 & keys.length - 1;
    }
    return i;
  }

  @SuppressWarnings("unchecked")
  @Nullable V get(int key) {
    return (V) values[find(key)];
  }

  void put(int key, V value) {
    if (size * 2 >= keys.length) {
      int[] oldKeys = keys;
      @Nullable Object[] oldValues = values;
      keys = new int[oldKeys.length * 2];
      values = new Object[oldKeys.length * 2];
      for (int i = 0; i < oldKeys.length; i++) {
        Object old = oldValues[i];
        if (old != null) {
          int to = find(oldKeys[i]);
          keys[to] = oldKeys[i];
          values[to] = old;
        }
      }
    }
    int i = find(key);
    if (values[i] == null) {
      size++;
    }
    keys[i] = key;
    values[i] = value;
  }

  void remove(int key) {
    int i = find(key);
    if (values[i] == null) {
      return;
    }
    size--;
    values[i] = null;
    // Entries behind it may have been pushed on by it: put them back in their places.
    int next = i + 1 & keys.length - 1;
    while (values[next] != null) {
      Object moved = values[next];
      values[next] = null;
      int to = find(keys[next]);
      keys[to] = keys[next];
      values[to] = moved;
      next = next + 1 & keys.length - 1;
    }
  }

  /** All values, sorted by key: the order never depends on the table's history. */
  @SuppressWarnings("unchecked")
  void forEach(Consumer<V> action) {
    int[] sorted = new int[size];
    int n = 0;
    for (int i = 0; i < keys.length; i++) {
      if (values[i] != null) {
        sorted[n++] = keys[i];
      }
    }
    Arrays.sort(sorted);
    for (int key : sorted) {
      Object value = values[find(key)];
      if (value != null) {
        action.accept((V) value);
      }
    }
  }
}

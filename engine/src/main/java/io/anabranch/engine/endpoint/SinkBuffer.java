package io.anabranch.engine.endpoint;

import io.anabranch.engine.EngineEvent;
import io.anabranch.engine.Sink;
import io.anabranch.engine.Status;
import java.util.Arrays;

/** Completions and events in order, until polled: flat arrays that keep their size. */
final class SinkBuffer implements Sink {
  private static final Status[] STATUSES = Status.values();
  private static final Operation[] OPERATIONS = Operation.values();
  private static final EngineEvent[] EVENTS = EngineEvent.values();
  private static final int EVENT = -1;

  private int[] qp = new int[16];
  private long[] id = new long[16];
  private long[] length = new long[16];
  private int[] immediate = new int[16];
  private byte[] status = new byte[16];
  private byte[] operation = new byte[16];
  private boolean[] solicited = new boolean[16];
  private int size;

  @Override
  public void completion(
      int qpNumber,
      long wrId,
      Status how,
      Operation what,
      long byteLength,
      int immediateData,
      boolean isSolicited) {
    int i = add(qpNumber);
    id[i] = wrId;
    length[i] = byteLength;
    immediate[i] = immediateData;
    status[i] = (byte) how.ordinal();
    operation[i] = (byte) what.ordinal();
    solicited[i] = isSolicited;
  }

  @Override
  public void event(EngineEvent event, int qpNumber, long detail) {
    int i = add(qpNumber);
    id[i] = detail;
    status[i] = (byte) event.ordinal();
    operation[i] = EVENT;
  }

  private int add(int qpNumber) {
    if (size == qp.length) {
      int larger = size * 2;
      qp = Arrays.copyOf(qp, larger);
      id = Arrays.copyOf(id, larger);
      length = Arrays.copyOf(length, larger);
      immediate = Arrays.copyOf(immediate, larger);
      status = Arrays.copyOf(status, larger);
      operation = Arrays.copyOf(operation, larger);
      solicited = Arrays.copyOf(solicited, larger);
    }
    qp[size] = qpNumber;
    return size++;
  }

  void drain(Sink to) {
    for (int i = 0; i < size; i++) {
      if (operation[i] == EVENT) {
        to.event(EVENTS[status[i]], qp[i], id[i]);
      } else {
        to.completion(
            qp[i],
            id[i],
            STATUSES[status[i]],
            OPERATIONS[operation[i]],
            length[i],
            immediate[i],
            solicited[i]);
      }
    }
    size = 0;
  }
}

package io.anabranch.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Copying packets' bytes allocates nothing. */
class AllocationTest {
  private static final int PACKETS = 10_000;

  @Test
  void readAndWriteOfPackets() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (Pair pair = new Pair()) {
      Pair.Link link = pair.connect();
      MemoryRegion from = pair.a.region(8192);
      MemoryRegion to = pair.b.region(8192);
      link.a()
          .postSend(
              new SendRequest(1)
                  .write(to.address(), to.rKey())
                  .gather(from, 0, 3000)
                  .gather(from, 3000, 5000));
      ByteBuffer packet = ByteBuffer.allocateDirect(4096);
      Dispatcher sender = pair.a.context.dispatcher;
      Dispatcher receiver = pair.b.context.dispatcher;
      int payloadRef = link.a().index() << 16;
      long before = 0;
      for (int i = 0; i < 2 * PACKETS; i++) {
        if (i == PACKETS) {
          before = threads.getThreadAllocatedBytes(Thread.currentThread().threadId());
        }
        packet.clear();
        sender.read(payloadRef, 1000, packet);
        packet.flip();
        receiver.write(0, 4096, packet);
      }
      long after = threads.getThreadAllocatedBytes(Thread.currentThread().threadId());
      // The measuring itself may allocate a little.
      assertThat(after - before).isLessThan(PACKETS);
    }
  }
}

package io.anabranch.fabric.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The generators against the published matrices in scenarios/htsim. */
class WorkloadTest {
  private static final long KIB_256 = 256 << 10;
  private static final long MIB_2 = 2 << 20;

  private static String published(String name) throws IOException {
    // Tests run in their module's folder.
    return Files.readString(Path.of("../scenarios/htsim").resolve(name));
  }

  private static List<Integer> hosts(int from, int to) {
    return IntStream.range(from, to).boxed().toList();
  }

  private static String text(int nodes, Workload workload) {
    Traffic traffic = new Traffic();
    workload.addTo(traffic);
    return ConnectionMatrix.write(traffic, nodes);
  }

  @Test
  void permutationsAreThePublishedOnes() throws Exception {
    for (int n : new int[] {128, 1024, 8192}) {
      assertThat(text(n, new Permutation(hosts(0, n), hosts(0, n), MIB_2, n, 0)))
          .isEqualTo(published("p" + n + ".cm"));
    }
  }

  @Test
  void theIncastIsThePublishedOne() throws Exception {
    assertThat(text(128, new Incast(hosts(64, 96), 0, MIB_2, 0))).isEqualTo(published("i32.cm"));
  }

  @Test
  void theAllToAllIsThePublishedOne() throws Exception {
    assertThat(text(128, new AllToAll(hosts(0, 64), KIB_256, 4, 0)))
        .isEqualTo(published("a2a64.cm"));
  }

  @Test
  void theRingsAreThePublishedOnes() throws Exception {
    var placement = new Rings.Placement.AcrossLeaves(4, 8, 16);
    assertThat(text(128, new Rings(4, 32, 62, KIB_256, placement, 0)))
        .isEqualTo(published("ar128.cm"));
  }

  @Test
  void aMatrixReadAndWrittenIsTheSameText() throws Exception {
    for (String name :
        new String[] {"p128.cm", "p1024.cm", "p8192.cm", "i32.cm", "a2a64.cm", "ar128.cm"}) {
      String text = published(name);
      Traffic traffic = new Traffic();
      int nodes = ConnectionMatrix.read(text, traffic);
      assertThat(ConnectionMatrix.write(traffic, nodes)).as(name).isEqualTo(text);
    }
  }

  @Test
  void splitMixIsTheReferenceSequence() {
    // The first outputs for seed 1234567, as given with the generator's reference implementation.
    SplitMix64 random = new SplitMix64(1234567);
    assertThat(random.next()).isEqualTo(Long.parseUnsignedLong("6457827717110365317"));
    assertThat(random.next()).isEqualTo(Long.parseUnsignedLong("3203168211198807973"));
    assertThat(random.next()).isEqualTo(Long.parseUnsignedLong("9817491932198370423"));
  }

  @Test
  void aPermutationBetweenOverlappingHostsHasNoFlowToItself() {
    for (int seed = 0; seed < 200; seed++) {
      Traffic traffic = new Traffic();
      new Permutation(hosts(0, 5), hosts(2, 7), 1, seed, 0).addTo(traffic);
      assertThat(IntStream.range(0, 5).map(traffic::destination))
          .containsExactlyInAnyOrder(2, 3, 4, 5, 6);
      assertThat(IntStream.range(0, 5).map(traffic::source)).containsExactly(0, 1, 2, 3, 4);
    }
  }

  @Test
  void aMatrixMayCommentAndUseEveryKindOfTrigger() throws Exception {
    Traffic traffic = new Traffic();
    traffic.addTrigger(Traffic.TriggerKind.ONESHOT, 1);
    traffic.add(8, 9, 1, 0);
    String text =
        """
        # three of them

        Nodes 4
        0->1 id 7 start 1000 size 5 send_done_trigger 9  # fires
        1->2 id 8 size 6 trigger 9 send_done_trigger 5
        2->3 id 9 trigger 5 size 7
        3->0 trigger 6 size 8
        trigger id 5 barrier 2
        trigger id 6 multishot
        trigger id 9 oneshot
        """;
    assertThat(ConnectionMatrix.read(text, traffic)).isEqualTo(4);
    assertThat(traffic.flows()).isEqualTo(5);
    assertThat(traffic.startPs(1)).isEqualTo(1000);
    assertThat(traffic.fired(1, 0)).isEqualTo(traffic.waitsFor(2));
    assertThat(traffic.kind(traffic.fired(2, 0))).isEqualTo(Traffic.TriggerKind.BARRIER);
    assertThat(traffic.needed(traffic.fired(2, 0))).isEqualTo(2);
    assertThat(traffic.kind(traffic.waitsFor(4))).isEqualTo(Traffic.TriggerKind.MULTISHOT);
  }

  @Test
  void mistakesInAMatrixAreNamedByLineAndValue() {
    refused("0->1 id 1 start 0 size 1\n", 1, "Nodes N");
    refused("Nodes 1\n", 1, "Nodes: 1, allowed 2…1048576");
    refused("Nodes 2\nNodes 2\n", 2, "once");
    refused("Nodes two\n", 1, "'two'");
    refused("Nodes 2\n\n0->2 id 1 start 0 size 1\n", 3, "destination: 2, allowed 0…1");
    refused("Nodes 2\n1->1 id 1 start 0 size 1\n", 2, "two different hosts");
    refused("Nodes 2\n0->1 id 1 start 0 size 0\n", 2, "size: 0, allowed 1…");
    refused("Nodes 2\n0->1 id 1 start -1 size 1\n", 2, "start: -1");
    refused("Nodes 2\n0->1 id 1 start 0\n", 2, "size is missing");
    refused("Nodes 2\n0->1 id 1 size 1\n", 2, "either start or trigger");
    refused("Nodes 2\n0->1 id 1 start 0 trigger 1 size 1\ntrigger id 1 oneshot\n", 2, "either");
    refused("Nodes 2\n0->1 id 1 trigger 4 size 1\n", 2, "trigger 4, no line 'trigger id 4'");
    refused("Nodes 2\n0->1 id 1 start 0 size\n", 2, "needs a value");
    refused("Nodes 2\n0->1 prio 1 start 0 size 1\n", 2, "prio, allowed id, start");
    refused("Nodes 2\ntrigger id 1 oneshot\ntrigger id 1 oneshot\n", 3, "allowed once");
    refused("Nodes 2\ntrigger id 1 sometimes\n", 2, "sometimes, allowed oneshot");
    refused("Nodes 2\ntrigger id 1 barrier 0\n", 2, "barrier: 0");
    refused("Nodes 2\nConnections 2\n0->1 id 1 start 0 size 1\n", 3, "Connections 2, but");
    refused("Nodes 2\nGreetings\n", 2, "Greetings, allowed Nodes");
  }

  private static void refused(String text, int line, String... parts) {
    assertThatThrownBy(() -> ConnectionMatrix.read(text, new Traffic()))
        .as(text)
        .isInstanceOfSatisfying(
            MatrixSyntaxException.class, e -> assertThat(e.line()).isEqualTo(line))
        .hasMessageContainingAll(parts);
  }

  @Test
  void hostsThatDoNotFitARuleAreRefused() {
    assertThatThrownBy(() -> new Incast(hosts(0, 4), 3, 1, 0)).hasMessageContaining("3 is the");
    assertThatThrownBy(() -> new AllToAll(List.of(1, 1), 1, 1, 0)).hasMessageContaining("twice");
    assertThatThrownBy(() -> new AllToAll(hosts(0, 4), 1, 0, 0)).hasMessageContaining("at least 1");
    assertThatThrownBy(() -> new Permutation(hosts(0, 4), hosts(0, 3), 1, 0, 0))
        .hasMessageContaining("destinations: 3, allowed 4");
  }
}

package io.anabranch.net.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FaultSpecTest {
  private static final long MS = 1_000_000;

  @Test
  void readsEveryPart() {
    assertThat(FaultSpec.parse("plane=2:ev=3:dir=tx:burst=0.5%x20@1s-3.5s").rules())
        .containsExactly(
            new FaultRule(
                FaultKind.BURST, 2, 3, Direction.TX, 0.005, 20, 0, 0, 1000 * MS, 3500 * MS));
    assertThat(FaultSpec.parse("delay=5ms~250us").rules())
        .containsExactly(
            new FaultRule(
                FaultKind.DELAY, 0, 0, Direction.BOTH, 1, 0, 5 * MS, MS / 4, -1, Long.MAX_VALUE));
    assertThat(FaultSpec.parse("reorder=5%").rules().getFirst().count()).isEqualTo(3);
    assertThat(FaultSpec.parse("drop=1%, dup=2%").rules())
        .extracting(FaultRule::kind)
        .containsExactly(FaultKind.LOSS, FaultKind.DUPLICATE);
    assertThat(FaultSpec.parse(List.of("loss=1%,trim=1%", "mark=3%")).rules()).hasSize(3);
    assertThat(FaultSpec.parse(List.of()).isEmpty()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "loss=1%",
        "loss=0%",
        "loss=100%",
        "loss=0.001%",
        "plane=2:blackhole@1s-3s",
        "plane=2:blackhole@200ms-2s",
        "dir=rx:corrupt=0.5%",
        "ev=4:duplicate=10%@0s",
        "reorder=5%x8",
        "delay=1ns~2us",
        "plane=32:ev=4096:dir=tx:trim=12.5%@1ms-2ms,mark=7%",
      })
  void writesWhatItReads(String text) {
    assertThat(FaultSpec.parse(text)).hasToString(text);
  }

  @Test
  void equalTimesInOtherUnitsAreTheSame() {
    assertThat(FaultSpec.parse("plane=2:blackhole@0.2s-2s"))
        .isEqualTo(FaultSpec.parse(" plane=2:blackhole@200ms-2000000us "));
    assertThat(FaultSpec.parse("delay=5µs")).isEqualTo(FaultSpec.parse("DELAY=5000ns"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "\"\"                  | 1  | no fault, allowed plane=, ev=, dir=, loss, burst",
        "loss                  | 5  | the end, expected loss=PERCENT",
        "los=1%                | 1  | 'los', allowed plane=, ev=, dir=, loss",
        "loss=1                | 7  | loss '1' without unit, expected '%'",
        "loss=0.01             | 10 | without unit",
        "loss=101%             | 6  | loss 101%, allowed 0%…100%",
        "loss=-1%              | 6  | expected a number",
        "loss=.5%              | 6  | expected a number",
        "loss=1.%              | 6  | expected a number",
        "loss=1%,              | 9  | no fault",
        "loss=1%;mark=2%       | 8  | ';', expected ',' or the end",
        "plane=0:loss=1%       | 7  | plane 0, allowed 1…32",
        "plane=33:loss=1%      | 7  | plane 33, allowed 1…32",
        "plane=x:loss=1%       | 7  | plane: expected a whole number 1…32",
        "plane=99999999999:x   | 7  | allowed 1…32",
        "plane=1               | 8  | the end, expected ':' after a selector",
        "plane:loss=1%         | 6  | ':', expected plane=N",
        "ev=0:loss=1%          | 4  | ev 0, allowed 1…4096",
        "dir=up:loss=1%        | 5  | dir 'up', allowed tx and rx",
        "burst=1%              | 9  | the end, expected burst=PERCENTxCOUNT",
        "burst=1%x0            | 10 | burst's length 0, allowed 1…100000",
        "delay=5               | 8  | delay '5' without unit, allowed units ns, us, ms, s",
        "delay=5min            | 8  | delay '5min', allowed units ns, us, ms, s",
        "delay=11s             | 7  | delay 11s, allowed 0s…10s",
        "blackhole=1%          | 10 | '=', expected ',' or the end",
        "blackhole@3s-1s       | 14 | to '1s', allowed: later than from",
        "blackhole@1s-1s       | 14 | later than from",
        "blackhole@            | 11 | from: expected a number",
        "blackhole@99999999s   | 11 | from 99999999s, allowed 0s…86400s",
        "loss=1%@1s-2s-3s      | 14 | '-', expected ',' or the end",
      })
  void namesPlaceValueAndRange(String text, int character, String problem) {
    FaultSyntaxException e =
        catchThrowableOfType(FaultSyntaxException.class, () -> FaultSpec.parse(text));
    assertThat(e).hasMessageContaining(problem);
    assertThat(e.position()).isEqualTo(character - 1);
    assertThat(e).hasMessageStartingWith("fault '" + text + "', character " + character + ": ");
  }

  @Test
  void anyTextIsReadOrRefusedByName() {
    String letters = "planev=0123:dirtxlosburw%@.-,~mu~ks xdyth";
    SplittableRandom random = new SplittableRandom(3);
    List<String> seeds = List.of("plane=2:blackhole@1s-3s", "burst=1%x20", "delay=5ms~1ms");
    for (int i = 0; i < 50_000; i++) {
      StringBuilder text = new StringBuilder(seeds.get(i % seeds.size()));
      for (int k = random.nextInt(1, 4); k > 0; k--) {
        char c = letters.charAt(random.nextInt(letters.length()));
        int at = random.nextInt(text.length());
        if (random.nextBoolean()) {
          text.setCharAt(at, c);
        } else {
          text.insert(at, c);
        }
      }
      try {
        FaultSpec spec = FaultSpec.parse(text.toString());
        assertThat(FaultSpec.parse(spec.toString())).isEqualTo(spec);
      } catch (FaultSyntaxException e) {
        assertThat(e.position()).isBetween(0, text.length());
      }
    }
  }

  @Test
  void planesThatAreNotThereAndTooManyRulesAreRefused() {
    FaultSpec spec = FaultSpec.parse("loss=1%,plane=5:blackhole");
    spec.check(5);
    assertThatThrownBy(() -> spec.check(4))
        .hasMessage("fault 'plane=5:blackhole': plane 5, allowed 1…4");
    List<String> many = Collections.nCopies(65, "loss=1%");
    assertThatThrownBy(() -> FaultSpec.parse(many)).hasMessage("fault rules: 65, allowed 0…64");
  }
}

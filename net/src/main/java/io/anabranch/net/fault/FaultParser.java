package io.anabranch.net.fault;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;

/** Reads the grammar of {@link FaultSpec}, from left to right. */
final class FaultParser {
  private static final int DEFAULT_REORDER = 3;
  private static final int MAX_NUMBER_CHARACTERS = 20;
  private static final long SECOND_NS = 1_000_000_000L;
  private static final long MAX_DELAY_NS = 10 * SECOND_NS;
  private static final long MAX_TIME_NS = 24 * 3600 * SECOND_NS;
  private static final int MAX_PLANE = 32;
  private static final int MAX_EV = 4096;
  private static final int MAX_COUNT = 100_000;

  private final String text;
  private int at;

  FaultParser(String text) {
    this.text = text;
  }

  List<FaultRule> rules() {
    List<FaultRule> rules = new ArrayList<>();
    do {
      rules.add(rule());
      spaces();
    } while (accept(','));
    if (at < text.length()) {
      throw error(at, "'" + text.charAt(at) + "', expected ',' or the end");
    }
    return rules;
  }

  private FaultRule rule() {
    int plane = 0;
    int ev = 0;
    Direction direction = Direction.BOTH;
    while (true) {
      spaces();
      int start = at;
      String word = word();
      switch (word) {
        case "plane" -> {
          expect('=', "plane=N");
          plane = integer("plane", 1, MAX_PLANE);
        }
        case "ev" -> {
          expect('=', "ev=N");
          ev = integer("ev", 1, MAX_EV);
        }
        case "dir" -> {
          expect('=', "dir=tx or dir=rx");
          direction = direction();
        }
        default -> {
          return fault(kind(word, start), plane, ev, direction);
        }
      }
      expect(':', "':' after a selector");
    }
  }

  private Direction direction() {
    int start = at;
    String word = word();
    return switch (word) {
      case "tx" -> Direction.TX;
      case "rx" -> Direction.RX;
      default -> throw error(start, "dir '" + word + "', allowed tx and rx");
    };
  }

  private FaultKind kind(String word, int start) {
    StringJoiner known = new StringJoiner(", ");
    for (FaultKind kind : FaultKind.values()) {
      if (kind.word().equals(word)) {
        return kind;
      }
      known.add(kind.word());
    }
    return switch (word) {
      case "drop" -> FaultKind.LOSS;
      case "dup" -> FaultKind.DUPLICATE;
      default -> {
        String found = word.isEmpty() ? "no fault" : "'" + word + "'";
        throw error(start, found + ", allowed plane=, ev=, dir=, " + known);
      }
    };
  }

  private FaultRule fault(FaultKind kind, int plane, int ev, Direction direction) {
    double probability = 1;
    int count = 0;
    long delayNs = 0;
    long jitterNs = 0;
    switch (kind) {
      case BLACKHOLE -> {}
      case DELAY -> {
        expect('=', "delay=TIME");
        delayNs = time("delay", 0, MAX_DELAY_NS);
        jitterNs = accept('~') ? time("delay's spread", 0, MAX_DELAY_NS) : 0;
      }
      case BURST -> {
        expect('=', "burst=PERCENTxCOUNT");
        probability = percent(kind);
        expect('x', "burst=PERCENTxCOUNT");
        count = integer("burst's length", 1, MAX_COUNT);
      }
      case REORDER -> {
        expect('=', "reorder=PERCENT");
        probability = percent(kind);
        count = accept('x') ? integer("reorder's distance", 1, MAX_COUNT) : DEFAULT_REORDER;
      }
      default -> {
        expect('=', kind.word() + "=PERCENT");
        probability = percent(kind);
      }
    }
    long fromNs = -1;
    long toNs = Long.MAX_VALUE;
    if (accept('@')) {
      fromNs = time("from", 0, MAX_TIME_NS);
      if (accept('-')) {
        int start = at;
        toNs = time("to", 0, MAX_TIME_NS);
        if (toNs <= fromNs) {
          throw error(start, "to '" + text.substring(start, at) + "', allowed: later than from");
        }
      }
    }
    return new FaultRule(
        kind, plane, ev, direction, probability, count, delayNs, jitterNs, fromNs, toNs);
  }

  private double percent(FaultKind kind) {
    int start = at;
    BigDecimal value = number(kind.word());
    if (!accept('%')) {
      throw error(
          at, kind.word() + " '" + text.substring(start, at) + "' without unit, expected '%'");
    }
    if (value.compareTo(BigDecimal.valueOf(100)) > 0) {
      throw error(start, kind.word() + " " + value.toPlainString() + "%, allowed 0%…100%");
    }
    return value.movePointLeft(2).doubleValue();
  }

  private long time(String what, long minNs, long maxNs) {
    int start = at;
    BigDecimal value = number(what);
    int unitAt = at;
    String unit = word();
    long unitNs =
        switch (unit) {
          case "ns" -> 1;
          case "us", "µs", "μs" -> 1_000;
          case "ms" -> 1_000_000;
          case "s" -> SECOND_NS;
          default ->
              throw error(
                  unitAt,
                  what
                      + " '"
                      + text.substring(start, at)
                      + "'"
                      + (unit.isEmpty() ? " without unit" : "")
                      + ", allowed units ns, us, ms, s");
        };
    BigDecimal ns = value.multiply(BigDecimal.valueOf(unitNs));
    if (ns.compareTo(BigDecimal.valueOf(minNs)) < 0
        || ns.compareTo(BigDecimal.valueOf(maxNs)) > 0) {
      throw error(
          start,
          what + " " + text.substring(start, at) + ", allowed 0s…" + maxNs / SECOND_NS + "s");
    }
    return ns.setScale(0, RoundingMode.HALF_UP).longValueExact();
  }

  private int integer(String what, int min, int max) {
    int start = at;
    while (at < text.length() && isDigit(text.charAt(at))) {
      at++;
    }
    String digits = text.substring(start, at);
    if (digits.isEmpty()) {
      throw error(start, what + ": expected a whole number " + min + "…" + max);
    }
    if (digits.length() > 9 || Integer.parseInt(digits) < min || Integer.parseInt(digits) > max) {
      throw error(start, what + " " + digits + ", allowed " + min + "…" + max);
    }
    return Integer.parseInt(digits);
  }

  private BigDecimal number(String what) {
    int start = at;
    while (at < text.length() && isDigit(text.charAt(at))) {
      at++;
    }
    boolean whole = at > start;
    if (at < text.length() && text.charAt(at) == '.') {
      int point = at++;
      while (at < text.length() && isDigit(text.charAt(at))) {
        at++;
      }
      whole &= at > point + 1;
    }
    if (!whole || at - start > MAX_NUMBER_CHARACTERS) {
      throw error(start, what + ": expected a number such as 1 or 0.5");
    }
    return new BigDecimal(text.substring(start, at));
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private String word() {
    int start = at;
    while (at < text.length() && Character.isLetter(text.charAt(at))) {
      at++;
    }
    return text.substring(start, at).toLowerCase(Locale.ROOT);
  }

  private void spaces() {
    while (at < text.length() && text.charAt(at) == ' ') {
      at++;
    }
  }

  private boolean accept(char c) {
    if (at < text.length() && text.charAt(at) == c) {
      at++;
      return true;
    }
    return false;
  }

  private void expect(char c, String form) {
    if (!accept(c)) {
      String found = at < text.length() ? "'" + text.charAt(at) + "'" : "the end";
      throw error(at, found + ", expected " + form);
    }
  }

  private FaultSyntaxException error(int position, String problem) {
    return new FaultSyntaxException(text, position, problem);
  }
}

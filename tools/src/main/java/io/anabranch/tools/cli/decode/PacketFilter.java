package io.anabranch.tools.cli.decode;

import io.anabranch.wire.ib.AtomicAckEth;
import io.anabranch.wire.ib.AtomicEth;
import io.anabranch.wire.ib.Bth;
import io.anabranch.wire.ib.Deth;
import io.anabranch.wire.ib.Field;
import io.anabranch.wire.ib.Header;
import io.anabranch.wire.ip.Address;
import io.anabranch.wire.mrc.CcState;
import io.anabranch.wire.mrc.DecodeResult;
import io.anabranch.wire.mrc.Opcode;
import io.anabranch.wire.srv6.UsidContainer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A condition on packets, from text:
 *
 * <pre>
 * expression = term { "or" term }
 * term       = factor { "and" factor }
 * factor     = "not" factor | "(" expression ")" | field operator value
 * operator   = "=" | "!=" | "&lt;" | "&lt;=" | "&gt;" | "&gt;="
 * value      = decimal | 0x hexadecimal | name | address | "text"
 * </pre>
 *
 * <p>Fields are named as in the JSON output, plus {@code qp} for {@code destQp} and {@code usid}
 * for any uSID of the outer destination. Names of opcodes stand for numbers; {@code WRITE} for all
 * six writes. A packet that lacks the field does not match, whatever the operator.
 */
public final class PacketFilter {
  /** Text that is no expression; the message says what was expected. */
  public static final class SyntaxException extends Exception {
    private static final long serialVersionUID = 1L;
    private final int position;

    SyntaxException(int position, String message) {
      super(message);
      this.position = position;
    }

    /** Place of the error in the expression, from 1. */
    public int position() {
      return position;
    }
  }

  private interface Node {
    boolean test(Packet p);
  }

  private enum Operator {
    EQ("="),
    NE("!="),
    LT("<"),
    LE("<="),
    GT(">"),
    GE(">=");

    private final String text;

    Operator(String text) {
      this.text = text;
    }

    boolean holds(int comparison) {
      return switch (this) {
        case EQ -> comparison == 0;
        case NE -> comparison != 0;
        case LT -> comparison < 0;
        case LE -> comparison <= 0;
        case GT -> comparison > 0;
        case GE -> comparison >= 0;
      };
    }
  }

  private static final int MAX_DEPTH = 64;
  private static final Map<String, Field.Kind> NUMBERS = numbers();
  private static final List<String> TEXTS =
      List.of(
          "opcode",
          "qp",
          "src",
          "dst",
          "outerSrc",
          "outerDst",
          "usid",
          "icrc",
          "error",
          "interface",
          "transport");

  private final String text;
  private int at;
  private int depth;

  private PacketFilter(String text) {
    this.text = text;
  }

  private static Map<String, Field.Kind> numbers() {
    Map<String, Field.Kind> all = new TreeMap<>();
    for (String name :
        List.of(
            "frame",
            "outerDscp",
            "outerEcn",
            "dscp",
            "ecn",
            "ev",
            "srcPort",
            "dstPort",
            "udpLength",
            "payloadLength")) {
      all.put(name, Field.Kind.NUMBER);
    }
    add(all, List.of(Bth.HEADER, CcState.HEADER));
    add(all, List.of(AtomicEth.HEADER, AtomicAckEth.HEADER, Deth.HEADER));
    for (int opcode = 0; opcode < 256; opcode++) {
      List<Header> headers = Opcode.headers(opcode, true);
      if (headers != null) {
        add(all, headers);
      }
    }
    return all;
  }

  private static void add(Map<String, Field.Kind> all, List<Header> headers) {
    for (Header h : headers) {
      h.fields().forEach(f -> all.put(f.name(), f.kind()));
    }
  }

  /** Every name that an expression may use, sorted. */
  public static String fieldNames() {
    TreeSet<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    names.addAll(NUMBERS.keySet());
    names.addAll(TEXTS);
    return String.join(", ", names);
  }

  /** A compiled expression. */
  public interface Condition {
    /** Whether {@code packet} matches. */
    boolean matches(Packet packet);
  }

  /**
   * Compiles an expression.
   *
   * @throws SyntaxException when it is none
   */
  public static Condition parse(String text) throws SyntaxException {
    PacketFilter parser = new PacketFilter(text);
    Node node = parser.expression();
    parser.skipSpace();
    if (parser.at < text.length()) {
      throw parser.error(parser.at, "expected 'and', 'or' or the end");
    }
    return node::test;
  }

  private SyntaxException error(int index, String message) {
    return new SyntaxException(index + 1, message);
  }

  private void skipSpace() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
  }

  private static boolean isWordChar(char c) {
    return !Character.isWhitespace(c) && "()=!<>\"".indexOf(c) < 0;
  }

  /** The next word without moving on; empty when something else follows. */
  private String peek() {
    skipSpace();
    int end = at;
    while (end < text.length() && isWordChar(text.charAt(end))) {
      end++;
    }
    return text.substring(at, end);
  }

  private boolean takeWord(String word) {
    if (!peek().equalsIgnoreCase(word)) {
      return false;
    }
    at += word.length();
    return true;
  }

  private boolean takeChar(char c) {
    skipSpace();
    if (at < text.length() && text.charAt(at) == c) {
      at++;
      return true;
    }
    return false;
  }

  private Node expression() throws SyntaxException {
    Node left = term();
    while (takeWord("or")) {
      Node a = left;
      Node b = term();
      left = p -> a.test(p) || b.test(p);
    }
    return left;
  }

  private Node term() throws SyntaxException {
    Node left = factor();
    while (takeWord("and")) {
      Node a = left;
      Node b = factor();
      left = p -> a.test(p) && b.test(p);
    }
    return left;
  }

  private Node factor() throws SyntaxException {
    skipSpace();
    int start = at;
    if (++depth > MAX_DEPTH) {
      throw error(start, "nested deeper than " + MAX_DEPTH);
    }
    Node node;
    if (takeWord("not")) {
      Node inner = factor();
      node = p -> !inner.test(p);
    } else if (takeChar('(')) {
      node = expression();
      if (!takeChar(')')) {
        throw error(at, "expected ')' for the '(' at position " + (start + 1));
      }
    } else {
      node = comparison();
    }
    depth--;
    return node;
  }

  private Node comparison() throws SyntaxException {
    String name = peek();
    int nameAt = at;
    if (name.isEmpty()) {
      throw error(nameAt, "expected a field; fields: " + fieldNames());
    }
    if (!NUMBERS.containsKey(name) && !TEXTS.contains(name)) {
      throw error(nameAt, "no field '" + name + "'; fields: " + fieldNames());
    }
    at += name.length();
    Operator operator = operator();
    skipSpace();
    int valueAt = at;
    String value = value();
    return switch (name) {
      case "src", "dst", "outerSrc", "outerDst" -> address(name, operator, value, valueAt);
      case "icrc" -> choice(name, operator, value, valueAt, icrcStates());
      case "error" -> choice(name, operator, value, valueAt, errors());
      case "transport" -> choice(name, operator, value, valueAt, List.of("MRC", "RoCEv2"));
      case "interface" -> equality(name, operator, value, valueAt);
      case "opcode" -> opcode(operator, value, valueAt);
      case "usid" -> usid(operator, number(value, valueAt, Field.Kind.NUMBER));
      case "qp" -> number("destQp", operator, value, valueAt);
      default -> number(name, operator, value, valueAt);
    };
  }

  private Operator operator() throws SyntaxException {
    skipSpace();
    if (text.startsWith("==", at)) {
      at += 2;
      return Operator.EQ;
    }
    Operator longest = null;
    for (Operator o : Operator.values()) {
      boolean longer = longest == null || o.text.length() > longest.text.length();
      if (longer && text.startsWith(o.text, at)) {
        longest = o;
      }
    }
    if (longest == null) {
      throw error(at, "expected one of = != < <= > >=");
    }
    at += longest.text.length();
    return longest;
  }

  private String value() throws SyntaxException {
    int start = at;
    if (takeChar('"')) {
      int end = text.indexOf('"', at);
      if (end < 0) {
        throw error(start, "the quotation has no end");
      }
      String quoted = text.substring(at, end);
      at = end + 1;
      return quoted;
    }
    String word = peek();
    if (word.isEmpty()) {
      throw error(at, "expected a value");
    }
    at += word.length();
    return word;
  }

  private long number(String value, int valueAt, Field.Kind kind) throws SyntaxException {
    try {
      if (value.startsWith("0x") || value.startsWith("0X")) {
        return Long.parseUnsignedLong(value.substring(2), 16);
      }
      if (kind == Field.Kind.SIGNED) {
        return Long.parseLong(value);
      }
      return Long.parseUnsignedLong(value);
    } catch (NumberFormatException e) {
      throw error(valueAt, "'" + value + "' is no number (decimal, or 0x and hexadecimal digits)");
    }
  }

  private Node number(String name, Operator operator, String value, int valueAt)
      throws SyntaxException {
    Field.Kind kind = NUMBERS.getOrDefault(name, Field.Kind.NUMBER);
    long wanted = number(value, valueAt, kind);
    boolean signed = kind == Field.Kind.SIGNED;
    return p ->
        p.find(name)
            && operator.holds(
                signed ? Long.compare(p.found(), wanted) : Long.compareUnsigned(p.found(), wanted));
  }

  private Node opcode(Operator operator, String value, int valueAt) throws SyntaxException {
    if (!value.isEmpty() && Character.isDigit(value.charAt(0))) {
      return number("opcode", operator, value, valueAt);
    }
    String name = value.toUpperCase(Locale.ROOT);
    onlyEquality("opcode", operator, valueAt);
    if (!isOpcode(name)) {
      throw error(valueAt, "no opcode '" + value + "'; opcodes: WRITE, " + opcodes());
    }
    boolean writes = name.equals("WRITE");
    return p -> {
      if (!p.hasBth()) {
        return false;
      }
      boolean same =
          writes ? Opcode.isWrite(p.transport().opcode()) : name.equals(p.transport().name());
      return same == (operator == Operator.EQ);
    };
  }

  private static boolean isOpcode(String name) {
    return name.equals("WRITE") || List.of(opcodes().split(", ", -1)).contains(name);
  }

  private static String opcodes() {
    StringBuilder all = new StringBuilder();
    for (int opcode = 0xff; opcode >= 0; opcode--) {
      String name = Opcode.name(opcode);
      var roce = io.anabranch.wire.ib.RoceOpcode.of(opcode);
      if (name == null && roce != null) {
        name = roce.name();
      }
      if (name != null) {
        all.append(all.isEmpty() ? "" : ", ").append(name);
      }
    }
    return all.toString();
  }

  private void onlyEquality(String name, Operator operator, int valueAt) throws SyntaxException {
    if (operator != Operator.EQ && operator != Operator.NE) {
      throw error(valueAt, "'" + name + "' can be compared with = and != only");
    }
  }

  private Node address(String name, Operator operator, String value, int valueAt)
      throws SyntaxException {
    onlyEquality(name, operator, valueAt);
    Address wanted = Address.parse(value);
    if (wanted == null) {
      throw error(valueAt, "'" + value + "' is no address");
    }
    boolean outer = name.startsWith("outer");
    boolean source = name.endsWith("src") || name.endsWith("Src");
    return p -> {
      if (outer ? !p.isTunnelled() : !p.hasIp()) {
        return false;
      }
      var ip = outer ? p.outer() : p.ip();
      long hi = source ? ip.srcHi() : ip.dstHi();
      long lo = source ? ip.srcLo() : ip.dstLo();
      return (hi == wanted.hi() && lo == wanted.lo()) == (operator == Operator.EQ);
    };
  }

  private static List<String> icrcStates() {
    return java.util.Arrays.stream(Packet.IcrcState.values()).map(Packet.IcrcState::text).toList();
  }

  private static List<String> errors() {
    return java.util.Arrays.stream(DecodeResult.values()).map(DecodeResult::name).toList();
  }

  private Node choice(
      String name, Operator operator, String value, int valueAt, List<String> allowed)
      throws SyntaxException {
    onlyEquality(name, operator, valueAt);
    if (allowed.stream().noneMatch(value::equalsIgnoreCase)) {
      throw error(valueAt, "no " + name + " '" + value + "'; one of " + String.join(", ", allowed));
    }
    return equality(name, operator, value, valueAt);
  }

  private Node equality(String name, Operator operator, String value, int valueAt)
      throws SyntaxException {
    onlyEquality(name, operator, valueAt);
    boolean wanted = operator == Operator.EQ;
    return switch (name) {
      case "interface" -> p -> p.interfaceName().equals(value) == wanted;
      case "icrc" -> p -> p.hasBth() && p.icrc().text().equalsIgnoreCase(value) == wanted;
      case "error" -> p -> errorName(p).equalsIgnoreCase(value) == wanted;
      default -> p -> transport(p).equalsIgnoreCase(value) == wanted;
    };
  }

  private static String errorName(Packet p) {
    DecodeResult error = p.error();
    return (error == null ? DecodeResult.OK : error).name();
  }

  private static String transport(Packet p) {
    if (!p.hasBth() || p.transport().name() == null) {
      return "";
    }
    return p.transport().isMrc() ? "MRC" : "RoCEv2";
  }

  private static Node usid(Operator operator, long wanted) {
    return p -> {
      if (!p.isTunnelled()) {
        return false;
      }
      UsidContainer path = new UsidContainer(p.outer().dstHi(), p.outer().dstLo());
      for (int i = 0; i < path.count(); i++) {
        if (operator.holds(Long.compareUnsigned(path.usid(i), wanted))) {
          return true;
        }
      }
      return false;
    };
  }
}

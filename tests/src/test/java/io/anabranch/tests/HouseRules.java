package io.anabranch.tests;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.elements.GivenClassesConjunction;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The rules of docs/architecture.md, "What must never be", over any root package: {@code
 * io.anabranch} for the real code, a fixture's package for the proof that a rule bites.
 */
final class HouseRules {
  private final String root;

  private HouseRules(String root) {
    this.root = root;
  }

  static List<HouseRule> under(String root) {
    return new HouseRules(root).all();
  }

  private List<HouseRule> all() {
    return List.of(
        directions(),
        cycles(),
        engineParts(),
        clock(),
        chance(),
        hashOrder(),
        threads(),
        files(),
        state(),
        loggers(),
        privileged(),
        peers());
  }

  // ---- 1. Directions as drawn ----

  private HouseRule directions() {
    return new HouseRule(
        "directions",
        sees("wire"),
        sees("engine", "wire"),
        sees("fabric", "engine", "wire"),
        sees("verbs", "engine"),
        sees("net", "engine", "wire"),
        sees("tools", "net", "fabric", "verbs", "engine", "wire"),
        classesOf("wire", "engine", "fabric")
            .should()
            .onlyDependOnClassesThat(BASE_OR_OURS)
            .because("these modules need java.base and nothing else"));
  }

  /** A module sees itself and the modules named; none of ours beside them. */
  private ArchRule sees(String module, String... others) {
    var allowed = resideInAnyPackage(within(module)).or(resideInAnyPackage(within(others)));
    return noClasses()
        .that()
        .resideInAnyPackage(within(module))
        .should()
        .dependOnClassesThat(resideInAnyPackage("io.anabranch..").and(not(allowed)))
        .because("the directions between modules are fixed");
  }

  // ---- 2. No cycles; who does not see whom inside the engine ----

  private HouseRule cycles() {
    SliceAssignment packages =
        new SliceAssignment() {
          @Override
          public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
            String name = javaClass.getPackageName();
            return name.startsWith(root + ".")
                ? SliceIdentifier.of(name)
                : SliceIdentifier.ignore();
          }

          @Override
          public String getDescription() {
            return "packages";
          }
        };
    return new HouseRule("cycles", slices().assignedFrom(packages).should().beFreeOfCycles());
  }

  private HouseRule engineParts() {
    return new HouseRule(
        "engineparts",
        // The root is the seam: what drives an engine compiles against it without the machinery.
        noClasses()
            .that()
            .resideInAPackage(root + ".engine")
            .should()
            .dependOnClassesThat(
                resideInAnyPackage(
                    within(
                        "engine.endpoint",
                        "engine.requestor",
                        "engine.responder",
                        "engine.path",
                        "engine.cc"))),
        blind("engine.requestor", "engine.responder"),
        blind("engine.responder", "engine.requestor"),
        blind("engine.cc", "engine.path", "wire"));
  }

  private ArchRule blind(String part, String... others) {
    return noClasses()
        .that()
        .resideInAnyPackage(within(part))
        .should()
        .dependOnClassesThat(resideInAnyPackage(within(others)));
  }

  // ---- 3. Wire, engine and fabric are pure ----

  private HouseRule clock() {
    return new HouseRule(
        "clock",
        pureAccess(
            "time comes in as an argument",
            target ->
                (is(target, "java.lang.System") && named(target, "nanoTime", "currentTimeMillis"))
                    || (inPackage(target, "java.time") && named(target, "now"))
                    || (is(target, "java.util.Date") && isNoArgConstructor(target))),
        pureDependsOn(
            "time comes in as an argument",
            "java.time.Clock",
            "java.time.InstantSource",
            "java.util.Calendar",
            "java.util.GregorianCalendar",
            "java.util.Timer"));
  }

  private HouseRule chance() {
    return new HouseRule(
        "chance",
        pureAccess(
            "every random stream is derived from the run's seed",
            target ->
                (is(target, "java.lang.Math") && named(target, "random"))
                    || (is(target, "java.util.Random") && isNoArgConstructor(target))
                    || (is(target, "java.util.SplittableRandom") && isNoArgConstructor(target))
                    || (is(target, "java.util.UUID") && named(target, "randomUUID"))
                    || (is(target, "java.util.Collections")
                        && named(target, "shuffle")
                        && parameters(target) == 1)
                    || (is(target, "java.lang.System") && named(target, "identityHashCode"))),
        pureDependsOn(
            "every random stream is derived from the run's seed",
            "java.util.concurrent.ThreadLocalRandom",
            "java.security.SecureRandom",
            // Their algorithms are chosen by name or by default, and the default may change.
            "java.util.random.RandomGeneratorFactory"),
        pureAccess(
            "these differ from machine to machine in the last bit; StrictMath has the same",
            target ->
                is(target, "java.lang.Math")
                    && named(
                        target, "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh",
                        "cosh", "tanh", "exp", "expm1", "log", "log10", "log1p", "pow", "cbrt",
                        "hypot")));
  }

  /**
   * Banned outright rather than only to iterate: a use that only looks up today is iterated by the
   * next change, and no check would see it through an interface. LinkedHashMap, TreeMap, EnumMap
   * and arrays keep a defined order.
   */
  private HouseRule hashOrder() {
    return new HouseRule(
        "hashorder",
        pureDependsOn(
            "hash order differs from run to run; keep an order (LinkedHashMap, TreeMap, EnumMap)",
            "java.util.HashMap",
            "java.util.HashSet",
            "java.util.IdentityHashMap",
            "java.util.WeakHashMap",
            "java.util.Hashtable",
            "java.util.Properties",
            "java.util.concurrent.ConcurrentHashMap"),
        pureAccess(
            "hash order differs from run to run; keep an order (LinkedHashMap, TreeMap, EnumMap)",
            target ->
                (is(target, "java.util.Map") && named(target, "of", "ofEntries", "copyOf"))
                    || (is(target, "java.util.Set") && named(target, "of", "copyOf"))
                    || (is(target, "java.util.stream.Collectors")
                        && named(target, "toSet", "toUnmodifiableSet", "toUnmodifiableMap"))
                    || (is(target, "java.util.stream.Collectors")
                        && ((named(target, "toMap") && parameters(target) < 4)
                            || (named(target, "groupingBy") && parameters(target) < 3)))));
  }

  private HouseRule threads() {
    return new HouseRule(
        "threads",
        classesOf("wire", "engine", "fabric")
            .should()
            .onlyDependOnClassesThat(
                describe(
                    "are no threads, locks or concurrent structures",
                    type ->
                        !type.getPackageName().startsWith("java.util.concurrent")
                            || type.getName().equals("java.util.concurrent.TimeUnit"))),
        pureDependsOn(
            "one caller at a time drives an engine or a fabric",
            "java.lang.Thread",
            "java.lang.ThreadGroup",
            "java.lang.ThreadLocal",
            "java.lang.InheritableThreadLocal",
            "java.lang.ScopedValue",
            "java.lang.Runtime"),
        pureAccess(
            "one caller at a time drives an engine or a fabric",
            target ->
                (is(target, "java.lang.Object") && named(target, "wait", "notify", "notifyAll"))
                    || named(target, "parallelStream")
                    || (inPackage(target, "java.util.stream") && named(target, "parallel"))),
        noMethods()
            .that()
            .areDeclaredInClassesThat(resideInAnyPackage(pure()))
            .should()
            .haveModifier(JavaModifier.SYNCHRONIZED),
        noFields()
            .that()
            .areDeclaredInClassesThat(resideInAnyPackage(pure()))
            .should()
            .haveModifier(JavaModifier.VOLATILE),
        classes()
            .that()
            .resideInAnyPackage(pure())
            .should(BytecodeConditions.notSynchronizeOnAnything()));
  }

  /** wire.pcap reads and writes captures through streams and channels that its caller opened. */
  private HouseRule files() {
    Pattern streams =
        Pattern.compile(
            "java\\.io\\.(Closeable|Flushable|(Buffered|Data|ByteArray|Filter)?(In|Out)putStream"
                + "|(IO|UncheckedIO|EOF)Exception)"
                + "|java\\.nio\\.channels\\.(Channel|Channels|ReadableByteChannel"
                + "|WritableByteChannel)");
    DescribedPredicate<JavaClass> touchesTheSystem =
        describe(
            "open files or sockets",
            type ->
                Set.of("java.io", "java.nio.file", "java.nio.file.attribute", "java.nio.channels")
                        .contains(type.getPackageName())
                    || type.getPackageName().startsWith("java.net"));
    DescribedPredicate<JavaClass> harmless =
        describe("harmless", type -> type.getName().equals("java.io.Serializable"));
    DescribedPredicate<JavaClass> stream =
        describe("streams", type -> streams.matcher(type.getName()).matches());
    return new HouseRule(
        "files",
        noClasses()
            .that(resideInAnyPackage(pure()).and(not(resideInAnyPackage(within("wire.pcap")))))
            .should()
            .dependOnClassesThat(touchesTheSystem.and(not(harmless)))
            .because("bytes and frames come in as arguments"),
        noClasses()
            .that()
            .resideInAnyPackage(within("wire.pcap"))
            .should()
            .dependOnClassesThat(touchesTheSystem.and(not(harmless)).and(not(stream)))
            .because("a capture's stream is opened by the caller"));
  }

  /**
   * Static fields are final, and of a type that cannot change. Two things are beyond this check and
   * left to review: an array element written after class initialisation (arrays must at least be
   * private, so only their own class could), and a collection behind List, Map or Set that is not
   * an immutable copy.
   */
  private HouseRule state() {
    DescribedPredicate<JavaClass> constant =
        describe("types of constants", HouseRules::cannotChange);
    return new HouseRule(
        "state",
        fields()
            .that()
            .areDeclaredInClassesThat(resideInAnyPackage(pure()))
            .and()
            .areStatic()
            .should()
            .beFinal(),
        fields()
            .that()
            .areDeclaredInClassesThat(resideInAnyPackage(pure()))
            .and()
            .areStatic()
            .and()
            .haveRawType(describe("arrays", JavaClass::isArray))
            .and()
            .doNotHaveModifier(JavaModifier.SYNTHETIC)
            .should()
            .bePrivate(),
        fields()
            .that()
            .areDeclaredInClassesThat(resideInAnyPackage(pure()))
            .and()
            .areStatic()
            .should()
            .haveRawType(constant));
  }

  private static final Pattern CONSTANT_TYPES =
      Pattern.compile(
          "java\\.lang\\.(String|Object|Class|Integer|Long|Short|Byte|Character|Boolean|Double"
              + "|Float|Runnable|Comparable)"
              + "|java\\.lang\\.invoke\\.\\w+"
              + "|java\\.lang\\.foreign\\.\\w*Layout(\\.\\w+)?|java\\.lang\\.foreign\\.\\w*Layout\\$\\w+"
              + "|java\\.math\\.\\w+|java\\.time\\.\\w+"
              + "|java\\.nio\\.ByteOrder|java\\.nio\\.charset\\.Charset"
              + "|java\\.util\\.(List|Map|Set|Collection|Comparator|HexFormat|Optional\\w*|UUID"
              + "|Sequenced\\w+|Sorted\\w+|Navigable\\w+)"
              + "|java\\.util\\.function\\.\\w+|java\\.util\\.regex\\.Pattern");

  private static boolean cannotChange(JavaClass type) {
    if (type.isPrimitive() || type.isArray() || type.isEnum() || type.isRecord()) {
      return true;
    }
    if (!type.getPackageName().startsWith("io.anabranch")) {
      return CONSTANT_TYPES.matcher(type.getName()).matches();
    }
    return type.getAllFields().stream()
        .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
        .allMatch(field -> field.getModifiers().contains(JavaModifier.FINAL));
  }

  private HouseRule loggers() {
    return new HouseRule(
        "loggers",
        noClasses()
            .that()
            .resideInAnyPackage(pure())
            .should()
            .dependOnClassesThat(
                describe(
                    "are loggers",
                    type ->
                        type.getName().startsWith("java.lang.System$Logger")
                            || List.of(
                                    "java.util.logging",
                                    "org.slf4j",
                                    "org.apache.logging",
                                    "org.apache.commons.logging")
                                .stream()
                                .anyMatch(name -> type.getPackageName().startsWith(name))))
            .because("trace events say what happened"),
        pureAccess("trace events say what happened", target -> named(target, "printStackTrace")));
  }

  // ---- 4. Native access, processes and the console have one home each ----

  private HouseRule privileged() {
    return new HouseRule(
        "privileged",
        outside("net.ffm")
            .should()
            .dependOnClassesThat(
                describe(
                    "link native code",
                    type ->
                        type.getName().equals("java.lang.foreign.Linker")
                            || type.getName().equals("java.lang.foreign.SymbolLookup"))),
        outside("net.ffm")
            .should()
            .accessTargetWhere(access(target -> named(target, "reinterpret")))
            .because("native access stays in one package"),
        outside("tools.lab")
            .should()
            .dependOnClassesThat(
                describe(
                    "start processes",
                    type -> type.getName().startsWith("java.lang.ProcessBuilder"))),
        outside("tools.lab")
            .should()
            .accessTargetWhere(
                access(target -> is(target, "java.lang.Runtime") && named(target, "exec")))
            .because("processes are started in one package"),
        outside("tools")
            .should()
            .accessTargetWhere(
                access(target ->
                    is(target, "java.lang.System") && named(target, "in", "out", "err", "exit")
                        || is(target, "java.lang.Runtime") && named(target, "halt", "exit")))
            .because("the console and the process belong to the commands"));
  }

  // ---- 5. The transports compared with know nothing of MRC's machinery ----

  private HouseRule peers() {
    return new HouseRule(
        "peers",
        noClasses()
            .that()
            .resideInAnyPackage(within("fabric.peer"))
            .should()
            .dependOnClassesThat(
                resideInAnyPackage("io.anabranch..")
                    .and(not(resideInAnyPackage(within("fabric", "wire"))))
                    .and(not(resideInAnyPackage(root + ".engine")))));
  }

  // ---- Vocabulary ----

  private static final Set<String> BASE_PACKAGES =
      ModuleLayer.boot().findModule("java.base").orElseThrow().getPackages();

  private static final DescribedPredicate<JavaClass> BASE_OR_OURS =
      describe(
          "are ours or in java.base",
          type -> {
            JavaClass base = type.getBaseComponentType();
            String name = base.getPackageName();
            return base.isPrimitive()
                || name.startsWith("io.anabranch")
                || name.equals("org.jspecify.annotations")
                || BASE_PACKAGES.contains(name);
          });

  private String[] within(String... modules) {
    String[] packages = new String[modules.length];
    for (int i = 0; i < modules.length; i++) {
      packages[i] = root + "." + modules[i] + "..";
    }
    return packages;
  }

  private String[] pure() {
    return within("wire", "engine", "fabric");
  }

  private GivenClassesConjunction classesOf(String... modules) {
    return classes().that().resideInAnyPackage(within(modules));
  }

  private GivenClassesConjunction outside(String home) {
    return noClasses()
        .that(resideInAnyPackage(root + "..").and(not(resideInAnyPackage(within(home)))));
  }

  private ArchRule pureDependsOn(String because, String... types) {
    Set<String> names = Set.of(types);
    return noClasses()
        .that()
        .resideInAnyPackage(pure())
        .should()
        .dependOnClassesThat(
            describe("are banned here", type -> names.contains(outermost(type.getName()))))
        .because(because);
  }

  private static String outermost(String name) {
    int dollar = name.indexOf('$');
    return dollar < 0 ? name : name.substring(0, dollar);
  }

  private ArchRule pureAccess(String because, Target banned) {
    return noClasses()
        .that()
        .resideInAnyPackage(pure())
        .should()
        .accessTargetWhere(access(banned))
        .because(because);
  }

  /** Calls, constructors, fields, and method references to any of them. */
  private static DescribedPredicate<JavaAccess<?>> access(Target banned) {
    return describe("it is banned here", access -> banned.matches(access.getTarget()));
  }

  private interface Target {
    boolean matches(AccessTarget target);
  }

  private static boolean is(AccessTarget target, String owner) {
    return target.getOwner().getName().equals(owner);
  }

  private static boolean inPackage(AccessTarget target, String name) {
    return target.getOwner().getPackageName().startsWith(name);
  }

  private static boolean named(AccessTarget target, String... names) {
    return List.of(names).contains(target.getName());
  }

  private static int parameters(AccessTarget target) {
    return target instanceof CodeUnitAccessTarget unit ? unit.getRawParameterTypes().size() : -1;
  }

  private static boolean isNoArgConstructor(AccessTarget target) {
    return target.getName().equals("<init>") && parameters(target) == 0;
  }
}

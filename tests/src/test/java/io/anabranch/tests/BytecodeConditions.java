package io.anabranch.tests;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.Source;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.MonitorInstruction;
import java.net.URLConnection;

/** Conditions on instructions that ArchUnit's model leaves out. */
final class BytecodeConditions {
  private BytecodeConditions() {}

  /** No synchronized block: ArchUnit knows the modifier of a method, but not the instruction. */
  static ArchCondition<JavaClass> notSynchronizeOnAnything() {
    return new ArchCondition<>("not contain a synchronized block") {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        for (MethodModel method : ClassFile.of().parse(bytes(type)).methods()) {
          CodeModel code = method.code().orElse(null);
          if (code != null && code.elementStream().anyMatch(e -> e instanceof MonitorInstruction)) {
            String where =
                "Method <" + type.getName() + "." + method.methodName().stringValue() + ">";
            events.add(
                SimpleConditionEvent.violated(type, where + " contains a synchronized block"));
          }
        }
      }
    };
  }

  private static byte[] bytes(JavaClass type) {
    Source source =
        type.getSource().orElseThrow(() -> new IllegalStateException(type + " has no source"));
    try {
      URLConnection connection = source.getUri().toURL().openConnection();
      connection.setUseCaches(false); // a cached jar would outlive a rebuild
      try (InputStream in = connection.getInputStream()) {
        return in.readAllBytes();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package io.anabranch.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class RepackTest {
  @TempDir private Path folder;

  @Test
  void everyClassOfPicocliIsMadeModernAndStillVerifies() throws Exception {
    Path jar =
        Path.of(CommandLine.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Path modern = folder.resolve("modern.jar");
    Repack.repack(jar, modern);

    try (JarFile before = new JarFile(jar.toFile());
        JarFile after = new JarFile(modern.toFile());
        URLClassLoader alone =
            new URLClassLoader(
                new URL[] {modern.toUri().toURL()}, ClassLoader.getPlatformClassLoader())) {
      assertThat(after.stream().map(Object::toString))
          .isEqualTo(before.stream().map(Object::toString).toList());
      for (var entry : after.stream().filter(e -> e.getName().endsWith(".class")).toList()) {
        try (InputStream in = after.getInputStream(entry)) {
          assertThat(ClassFile.of().parse(in.readAllBytes()).majorVersion())
              .as(entry.getName())
              .isGreaterThan(ClassFile.JAVA_6_VERSION);
        }
        String name = entry.getName().replace('/', '.').replaceFirst("\\.class$", "");
        if (name.startsWith("picocli.CommandLine")) {
          Class.forName(name, true, alone); // initialising verifies
        }
      }
    }
  }
}

package io.anabranch.tools.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Brings old class files in a jar to a version that the AOT cache accepts. picocli is compiled for
 * Java 5, so that every start would load and verify it again. Run by the build of {@code ./mrc};
 * never part of a normal run.
 */
final class Repack {
  /** Older files have no stack maps, which is what keeps them out of the cache. */
  private static final int STACK_MAPS = ClassFile.JAVA_6_VERSION;

  private final ClassFile files =
      ClassFile.of(
          ClassFile.StackMapsOption.GENERATE_STACK_MAPS,
          ClassFile.ClassHierarchyResolverOption.of(
              ClassHierarchyResolver.ofClassLoading(Repack.class.getClassLoader())));

  private Repack() {}

  /** Copies the jar named first, which is also the class path, to the one named second. */
  public static void main(String[] args) throws IOException {
    repack(Path.of(args[0]), Path.of(args[1]));
  }

  static void repack(Path from, Path to) throws IOException {
    var repack = new Repack();
    try (JarFile in = new JarFile(from.toFile());
        OutputStream file = Files.newOutputStream(to);
        ZipOutputStream out = new ZipOutputStream(file)) {
      for (Enumeration<JarEntry> entries = in.entries(); entries.hasMoreElements(); ) {
        JarEntry entry = entries.nextElement();
        byte[] bytes;
        try (InputStream content = in.getInputStream(entry)) {
          bytes = content.readAllBytes();
        }
        ZipEntry copy = new ZipEntry(entry.getName());
        copy.setTime(entry.getTime());
        out.putNextEntry(copy);
        out.write(entry.getName().endsWith(".class") ? repack.modern(bytes) : bytes);
        out.closeEntry();
      }
    }
  }

  private byte[] modern(byte[] bytes) {
    ClassModel old = files.parse(bytes);
    if (old.majorVersion() > STACK_MAPS) {
      return bytes;
    }
    // Stack maps come with code that is written anew, instruction by instruction.
    ClassTransform code = ClassTransform.transformingMethodBodies((out, e) -> out.with(e));
    ClassTransform version =
        (out, e) -> {
          if (e instanceof ClassFileVersion) {
            out.withVersion(ClassFile.JAVA_8_VERSION, 0);
          } else {
            out.with(e);
          }
        };
    return files.transformClass(old, code.andThen(version));
  }
}

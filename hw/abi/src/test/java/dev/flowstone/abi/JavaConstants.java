// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** Compiles Java layouts and reads their numbers: {@code PacketRecordLayout.SIZE_BYTES} is 64. */
final class JavaConstants {
  private JavaConstants() {}

  static SortedMap<String, String> of(Path sources, Path scratch)
      throws IOException, ReflectiveOperationException {
    Path classes = Files.createDirectories(scratch.resolve("classes"));
    List<String> arguments = new ArrayList<>(List.of("-d", classes.toString()));
    List<Path> files = javaFiles(sources);
    files.forEach(file -> arguments.add(file.toString()));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    if (compiler.run(null, null, null, arguments.toArray(String[]::new)) != 0) {
      throw new IllegalStateException("the Java layouts do not compile: " + sources);
    }
    SortedMap<String, String> numbers = new TreeMap<>();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()}, null)) {
      for (Path file : files) {
        String name = file.getFileName().toString().replace(".java", "");
        Class<?> type = loader.loadClass("dev.flowstone.model.abi." + name);
        for (Field field : type.getFields()) {
          if (Modifier.isStatic(field.getModifiers()) && field.getType().isPrimitive()) {
            numbers.put(name + "." + field.getName(), hex(field));
          }
        }
      }
    }
    return numbers;
  }

  private static String hex(Field field) throws ReflectiveOperationException {
    return field.getType() == int.class
        ? Integer.toHexString(field.getInt(null))
        : Long.toHexString(field.getLong(null));
  }

  private static List<Path> javaFiles(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(".java")).toList();
    }
  }
}

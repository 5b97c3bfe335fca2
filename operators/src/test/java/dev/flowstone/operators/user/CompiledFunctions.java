// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.user;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.ToolProvider;

/** Classes that nobody but a jar has. */
final class CompiledFunctions {
  private CompiledFunctions() {}

  /**
   * Compiles classes, and returns the folder of a jar that has them.
   *
   * @param sources by the classes' simple names
   */
  static Path jarIn(Path folder, Map<String, String> sources) throws IOException {
    Path texts = Files.createDirectories(folder.resolve("src"));
    Path classes = Files.createDirectories(folder.resolve("classes"));
    List<String> arguments = new ArrayList<>(List.of("-proc:none", "-d", classes.toString()));
    for (var each : sources.entrySet()) {
      Path file = texts.resolve(each.getKey() + ".java");
      arguments.add(Files.writeString(file, each.getValue()).toString());
    }
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, arguments.toArray(String[]::new));
    assertThat(status).isZero();
    Path jars = Files.createDirectories(folder.resolve("jars"));
    try (JarOutputStream jar =
            new JarOutputStream(Files.newOutputStream(jars.resolve("example.jar")));
        var files = Files.walk(classes)) {
      for (Path each : files.filter(Files::isRegularFile).toList()) {
        jar.putNextEntry(new JarEntry(classes.relativize(each).toString()));
        Files.copy(each, jar);
      }
    }
    return jars;
  }
}

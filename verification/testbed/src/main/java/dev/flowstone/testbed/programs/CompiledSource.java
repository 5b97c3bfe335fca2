// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.ToolProvider;

/** A source that a test has compiled apart from all others, with its own class path. */
public final class CompiledSource {
  private CompiledSource() {}

  /**
   * Compiles one.
   *
   * @param folder for its classes
   * @param options more of the compiler's
   */
  public static void in(Path folder, Path source, String... options) {
    List<String> arguments = new ArrayList<>(List.of(options));
    arguments.addAll(List.of("-proc:none", "-cp", System.getProperty("java.class.path")));
    arguments.addAll(List.of("-d", folder.toString(), source.toString()));
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, arguments.toArray(String[]::new));
    assertThat(status).as("compiling %s", source).isZero();
  }
}

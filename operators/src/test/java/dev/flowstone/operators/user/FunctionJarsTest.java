// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.user;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.rules.function.UserFunction;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FunctionJarsTest {
  private static final AtomicBoolean INITIALIZED = new AtomicBoolean();

  @TempDir private Path folder;

  /** A class of the job's own class path. */
  static final class OfTheJob {
    static {
      INITIALIZED.set(true);
    }
  }

  @Test
  void neitherInitializesNorCreatesClassesOutsideOfTheFolder() throws Exception {
    try (FunctionJars jars = FunctionJars.open(folder.toFile(), getClass().getClassLoader())) {
      UserFunction named = new UserFunction(getClass().getName() + "$OfTheJob", Map.of());
      assertThatThrownBy(() -> jars.make(named))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("no jar in " + folder + " has a class");
      assertThat(INITIALIZED).isFalse();
    }
  }

  @Test
  void doesNotInitializeAClassOfAJarThatIsNotAFunction() throws Exception {
    String property = "flowstone.test.initialized";
    Path jars =
        CompiledFunctions.jarIn(
            folder,
            Map.of(
                "Marked",
                "public class Marked { static { System.setProperty(\""
                    + property
                    + "\", \"yes\"); } }"));
    try (FunctionJars opened = FunctionJars.open(jars.toFile(), getClass().getClassLoader())) {
      assertThatThrownBy(() -> opened.make(new UserFunction("Marked", Map.of())))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("PacketFunction");
    }
    assertThat(System.getProperty(property)).isNull();
  }
}

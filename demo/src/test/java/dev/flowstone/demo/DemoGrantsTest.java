// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.demo.function.Bursts;
import dev.flowstone.operators.packets.AnonymisationKeys;
import dev.flowstone.operators.user.FunctionJars;
import dev.flowstone.operators.user.PacketFunction;
import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.function.UserFunction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoGrantsTest {
  @TempDir private Path folder;

  /** As if the demo did not have the classes itself. */
  private static final class Without extends ClassLoader {
    Without() {
      super(Bursts.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.startsWith(Bursts.class.getPackageName())) {
        throw new ClassNotFoundException(name);
      }
      return super.loadClass(name, resolve);
    }
  }

  @Test
  void shouldHaveAWholeFunctionInTheJar() throws Exception {
    DemoGrants grants = DemoGrants.make(folder);
    try (FunctionJars jars = FunctionJars.open(grants.functions().toFile(), new Without())) {
      PacketFunction made = jars.make(new UserFunction(DemoGrants.FUNCTION, Map.of()));
      assertThat(made.getClass()).isNotEqualTo(Bursts.class);
      ClassLoader loader = made.getClass().getClassLoader();
      try (var files = Files.list(compiled())) {
        for (Path file : files.toList()) {
          String name = file.getFileName().toString().replace(".class", "");
          if (!name.equals("package-info")) {
            assertThat(loader.loadClass(Bursts.class.getPackageName() + "." + name)).isNotNull();
          }
        }
      }
    }
  }

  private static Path compiled() throws Exception {
    return Path.of(Bursts.class.getResource("Bursts.class").toURI()).getParent();
  }

  @Test
  void shouldGiveWhatItsRulesName() throws Exception {
    RuleSet rules = DemoRules.read(DemoRules.file(Optional.empty(), folder));
    DemoGrants grants = DemoGrants.make(folder);
    AnonymisationKeys.read(grants.keys()).require(rules);
    assertThat(rules.rules())
        .anySatisfy(
            rule ->
                assertThat(rule.function())
                    .isInstanceOfSatisfying(
                        UserFunction.class,
                        user -> assertThat(user.className()).isEqualTo(DemoGrants.FUNCTION)));
  }
}

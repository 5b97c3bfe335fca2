// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.testbed.programs.ProjectRoot;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The tags of tests decide which of them {@code ./flowstone test} runs. */
class TagsTest {
  private static final Path SOURCES =
      ProjectRoot.find().resolve("verification/end-to-end/src/test/java/dev/flowstone/endtoend");

  /** Without --all nothing runs an undisturbed test, so it must not look as if it ran. */
  @Test
  void shouldRunUndisturbedTestsWithAllOnly() throws Exception {
    List<Method> undisturbed = tests().filter(test -> isTagged(test, "undisturbed")).toList();
    assertThat(undisturbed).isNotEmpty().allMatch(test -> isTagged(test, "slow"));
  }

  private static boolean isTagged(Method test, String tag) {
    return Stream.<AnnotatedElement>of(test, test.getDeclaringClass())
        .flatMap(place -> Arrays.stream(place.getAnnotationsByType(Tag.class)))
        .anyMatch(each -> each.value().equals(tag));
  }

  /** Every method of a test class that is not a plain private one. */
  private static Stream<Method> tests() throws Exception {
    try (Stream<Path> files = Files.list(SOURCES)) {
      return files
          .map(file -> file.getFileName().toString().replace(".java", ""))
          .filter(name -> name.endsWith("ITCase") || name.endsWith("Test"))
          .toList()
          .stream()
          .flatMap(name -> Arrays.stream(load(name).getDeclaredMethods()))
          .filter(TagsTest::isTest);
    }
  }

  private static boolean isTest(Method method) {
    return Arrays.stream(method.getAnnotations())
        .map(annotation -> annotation.annotationType().getSimpleName())
        .anyMatch(name -> name.equals("Test") || name.endsWith("edTest"));
  }

  private static Class<?> load(String name) {
    try {
      return Class.forName(
          TagsTest.class.getPackageName() + "." + name, false, TagsTest.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.architecture;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The licenses in jars. A jar that bundles software of others, as it goes to a cluster, names what
 * it contains and under which licenses.
 */
class BundledSoftwareTest {
  private static final ProjectModules PROJECT = ProjectModules.find();
  private static final List<String> MODULES =
      List.of("jobs/platform", "jobs/sampling", "jobs/histogram", "jobs/anomaly", "sql/jar");

  private static final Pattern JAR =
      Pattern.compile(
          "flowstone-jobs-.*-cluster\\.jar|flink-sql-connector-fpga-[\\d.]+(-SNAPSHOT)?\\.jar");
  private static final Pattern ARTIFACT = Pattern.compile("(?m)^- \\S+:.* \\((\\S+)\\)$");
  private static final Pattern FILE_IN_JAR = Pattern.compile("META-INF/[\\w./-]*\\w");
  private static final Pattern VERSIONED = Pattern.compile("^META-INF/versions/\\d+/");
  private static final String OWN = "dev/flowstone/";
  private static final String SHADED = OWN + "shaded/";

  static List<Path> jars() {
    return MODULES.stream().map(BundledSoftwareTest::jarOf).toList();
  }

  private static Path jarOf(String module) {
    Path folder = PROJECT.root().resolve(module).resolve("target");
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> jars =
          files.filter(file -> JAR.matcher(file.getFileName().toString()).matches()).toList();
      assertThat(jars).as("jars in " + folder).hasSize(1);
      return jars.getFirst();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<String> modules() {
    return PROJECT.withJavaSources();
  }

  /** A Maven repository or Flink's lib folder has each jar alone. */
  @ParameterizedTest
  @MethodSource("modules")
  void shouldCarryTheLicenseInEachModulesJar(String module) throws IOException {
    Path metaInf = PROJECT.classesOf(module).resolve("META-INF");
    assertThat(metaInf.resolve("LICENSE")).hasContent(PROJECT.read("LICENSE"));
    assertThat(metaInf.resolve("NOTICE")).hasContent(PROJECT.read("build-support/licenses/NOTICE"));
  }

  private static String read(ZipFile jar, String name) throws IOException {
    assertThat(jar.getEntry(name)).as(name).isNotNull();
    return new String(jar.getInputStream(jar.getEntry(name)).readAllBytes(), UTF_8);
  }

  @ParameterizedTest
  @MethodSource("jars")
  void shouldCarryTheProjectsLicense(Path file) throws IOException {
    try (ZipFile jar = new ZipFile(file.toFile())) {
      assertThat(read(jar, "META-INF/LICENSE")).isEqualTo(PROJECT.read("LICENSE"));
      assertThat(jar.getEntry("LICENSE")).as("license of one artifact").isNull();
      assertThat(jar.getEntry("NOTICE")).as("notice of one artifact").isNull();
    }
  }

  @ParameterizedTest
  @MethodSource("jars")
  void shouldNameAllSoftwareOfOthersInItsNotice(Path file) throws IOException {
    try (ZipFile jar = new ZipFile(file.toFile())) {
      Set<String> named =
          ARTIFACT
              .matcher(read(jar, "META-INF/NOTICE"))
              .results()
              .map(artifact -> artifact.group(1) + "/")
              .collect(Collectors.toCollection(TreeSet::new));
      Set<String> present = new TreeSet<>();
      List<String> unnamed = new ArrayList<>();
      for (String type : classesOfOthers(jar)) {
        named.stream()
            .filter(type::startsWith)
            .findFirst()
            .ifPresentOrElse(present::add, () -> unnamed.add(type));
      }
      assertThat(unnamed).as("classes that the notice does not name").isEmpty();
      assertThat(present).as("folders with classes").isEqualTo(named);
    }
  }

  private static List<String> classesOfOthers(ZipFile jar) {
    return jar.stream()
        .map(entry -> VERSIONED.matcher(entry.getName()).replaceFirst(""))
        .filter(name -> name.endsWith(".class"))
        .filter(name -> !name.startsWith(OWN) || name.startsWith(SHADED))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("jars")
  void shouldCarryEachLicenseThatItsNoticeNames(Path file) throws IOException {
    try (ZipFile jar = new ZipFile(file.toFile())) {
      Set<String> files =
          FILE_IN_JAR
              .matcher(read(jar, "META-INF/NOTICE"))
              .results()
              .map(name -> name.group())
              .collect(Collectors.toCollection(TreeSet::new));
      assertThat(files).contains("META-INF/LICENSE");
      for (String name : files) {
        assertThat(read(jar, name)).as(name).isNotBlank();
      }
    }
  }
}

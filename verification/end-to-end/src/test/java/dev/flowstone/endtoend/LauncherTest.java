// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flowstone.testbed.programs.ProjectRoot;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code ./flowstone} decides before Java is started, in a small tree of the same shape. */
@Tag("launcher")
class LauncherTest {
  private static final int SOMEBODY = 12_345;
  private static final Path ROOT = ProjectRoot.find();

  @TempDir private Path scratch;
  private Path tree;

  record Result(int status, String output) {}

  @BeforeEach
  void plant() throws Exception {
    tree = Files.createDirectory(scratch.resolve("tree"));
    bash(ROOT, "cp -r flowstone build-support pom.xml .mvn " + tree);
    Path repository = Files.createDirectory(scratch.resolve("repository"));
    write("tap/target/runtime.classpath", repository + "/info/picocli/picocli/1/picocli-1.jar");
    write("tap/src/main/java/Tap.java", "");
    write("notes/trace.pcap", "");
    assertThat(shell("stamp_build " + later(tree.resolve("notes"), 5)).status()).isZero();
  }

  private Path write(String name, String text) throws IOException {
    Path file = tree.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  private static Path later(Path file, int seconds) throws IOException {
    return Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(seconds)));
  }

  /** A line in the launcher's own words. */
  private Result shell(String line) throws Exception {
    return bash(tree, "ROOT=$PWD; set -euo pipefail; source build-support/setup.sh; " + line);
  }

  private static Result bash(Path folder, String line) throws Exception {
    Process process =
        new ProcessBuilder("bash", "-c", line)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Result(process.waitFor(), output);
  }

  private boolean isUpToDate() throws Exception {
    Result result = shell("is_up_to_date");
    assertThat(result.output()).isEmpty();
    return result.status() == 0;
  }

  @Test
  void shouldBuildForANewSourceAndNotForANewCapture() throws Exception {
    assertThat(isUpToDate()).isTrue();
    later(tree.resolve("notes/trace.pcap"), 10);
    later(write("build-notes.txt", ""), 10);
    assertThat(isUpToDate()).isTrue();

    later(tree.resolve("tap/src/main/java/Tap.java"), 10);
    assertThat(isUpToDate()).isFalse();
  }

  @Test
  void shouldBuildWhenASourceIsGone() throws Exception {
    Files.delete(tree.resolve("tap/src/main/java/Tap.java"));
    later(tree.resolve("tap/src/main/java"), 10);

    assertThat(isUpToDate()).isFalse();
  }

  @Test
  void shouldBuildAnewWhereItsClassPathsLeadNowhere() throws Exception {
    Path repository = scratch.resolve("repository");
    Files.move(repository, scratch.resolve("elsewhere"));
    assertThat(isUpToDate()).isFalse();
    Files.move(scratch.resolve("elsewhere"), repository);
    assertThat(isUpToDate()).isTrue();

    Path copy = scratch.resolve("copy");
    bash(scratch, "cp -rp tree copy");
    tree = copy;
    assertThat(isUpToDate()).isFalse();
  }

  @Test
  void shouldNameThePackagesOfTheSystemItIsOn() throws Exception {
    assertThat(advice("ID=fedora")).endsWith("dnf install gcc-c++ compiler-rt");
    assertThat(advice("ID=rocky\nID_LIKE=\"rhel centos fedora\"")).contains("dnf install gcc-c++");
    assertThat(advice("ID=manjaro\nID_LIKE=arch")).endsWith("pacman -S --needed gcc compiler-rt");
    assertThat(advice("ID=alpine")).endsWith("apk add g++ compiler-rt");
    assertThat(advice("ID=guix"))
        .contains("needs g++ libFuzzer")
        .contains("none")
        .contains("Alpine");
  }

  private String advice(String release) throws Exception {
    Path file = Files.writeString(scratch.resolve("os-release"), release + "\n");
    Result result =
        bash(
            tree,
            "ROOT=$PWD FLOWSTONE_OS_RELEASE="
                + file
                + "; source build-support/setup.sh; install_tools g++ libFuzzer");
    assertThat(result.status()).isEqualTo(1);
    return result.output().strip();
  }

  @Test
  void shouldLeaveNothingOfRootsInAUsersTree() throws Exception {
    assumeTrue(
        "0\n".equals(bash(tree, "id -u").output()),
        "NOT CHECKED: only root can make files that are not its own");
    bash(scratch, "chown -R " + SOMEBODY + " tree");
    Path product = write("tap/target/classes/Tap.class", "");
    assertThat(owner(product)).isZero();

    Result result = shell("touch -d '1 hour ago' ../began; hand_to_owner ../began");

    assertThat(result).isEqualTo(new Result(0, ""));
    assertThat(List.of(owner(product), owner(product.getParent()))).containsOnly(SOMEBODY);
  }

  private static int owner(Path file) throws IOException {
    return (Integer) Files.getAttribute(file, "unix:uid");
  }

  @Test
  void shouldSayThatTheFolderItIsInIsGone() throws Exception {
    Result result = bash(tree, "mkdir gone && cd gone && rmdir ../gone && ../flowstone stats");

    assertThat(result.status()).isEqualTo(1);
    assertThat(result.output()).contains("gone, has been deleted: cd to one that exists");
  }

  /** Flink's own client would look for it for a minute. */
  @Test
  void shouldSayAtOnceThatNoClusterRuns() throws Exception {
    assertThat(bash(tree, "FLOWSTONE_STATE=$PWD/state ./flowstone flink list"))
        .isEqualTo(
            new Result(
                2,
                "flowstone: no cluster runs here: ./flowstone cluster start, or name one with -m"
                    + " HOST:PORT\n"));
    write("state/cluster/supervisor.pid", "1");
    assertThat(needCluster("list").status()).as("one that has ended").isEqualTo(2);
    assertThat(needCluster("list -m elsewhere:8081").status()).as("another's").isZero();
    assertThat(needCluster("list --help").status()).isZero();
    assertThat(needCluster("").status()).as("usage").isZero();
    assertThat(bash(tree, "flock state/cluster/supervisor.pid bash -c '" + asked("list") + "'"))
        .as("while a supervisor has its lock")
        .isEqualTo(new Result(0, ""));
  }

  private Result needCluster(String arguments) throws Exception {
    return bash(tree, asked(arguments));
  }

  private static String asked(String arguments) {
    return "ROOT=$PWD FLOWSTONE_STATE=$PWD/state; set -euo pipefail; source build-support/setup.sh;"
        + " source build-support/deployment.sh; need_cluster "
        + arguments;
  }

  @Test
  void shouldTellFlinksClientsOfTheUsersConfigurationElseOfTheClusterHere() throws Exception {
    assertThat(sqlIsToldOf("")).as("no cluster").isEqualTo("$PWD/flink-conf, the home\n");
    write("state/cluster/conf/config.yaml", "");
    assertThat(sqlIsToldOf("")).isEqualTo("$PWD/state/cluster/conf, the home\n");
    assertThat(sqlIsToldOf("FLINK_CONF_DIR=/mine"))
        .as("which is not asked where a demo runs, either")
        .isEqualTo("/mine, the home -Dflowstone.configuration.given=true\n");
  }

  private String sqlIsToldOf(String variables) throws Exception {
    String said =
        bash(
                tree,
                "unset FLINK_CONF_DIR; ROOT=$PWD FLOWSTONE_STATE=$PWD/state PROPERTIES=('the home') "
                    + variables
                    + "; set -euo pipefail; source build-support/deployment.sh;"
                    + " run() { echo \"$FLINK_CONF_DIR, ${PROPERTIES[*]}\"; }; run_sql")
            .output();
    return said.replace(tree.toString(), "$PWD");
  }

  /** Maven numbers modules by their place, and builds several at a time. */
  @Test
  void shouldNumberTheModulesAsTheyAreShown() throws Exception {
    write(
        "maven.log",
        """
        [INFO] Building Flowstone record layouts 0.1.0-SNAPSHOT            [3/28]
        [INFO] Building Flowstone 0.1.0-SNAPSHOT                           [1/28]
        [INFO] Building jar: /x/flowstone-0.1.0.jar
        [INFO] Building Flowstone's Flink 0.1.0-SNAPSHOT                  [20/28]
        """);
    assertThat(shell("show_modules <maven.log").output())
        .isEqualTo(
            "  [1/28] Flowstone record layouts\n  [2/28] Flowstone\n  [3/28] Flowstone's Flink\n");
  }

  @Test
  void shouldFailWhereMavenFailsAndNoReportSaysWhy() throws Exception {
    write("bin/mvn", "#!/bin/sh\necho '[ERROR] Tests run: 2, Failures: 1 <<< FAILURE!'\nexit 1\n");
    String run =
        "passed=0 failed=0 skipped=0 maven_failed=0 all= class=yes areas_given= planned=tap;"
            + " source build-support/test.sh; run_maven_tests started; sum_reports started;"
            + " echo $failed failed";

    assertThat(bash(tree, "chmod +x bin/mvn").status()).isZero();
    assertThat(shell("mkdir -p build; PATH=$PWD/bin:$PATH; " + run).output())
        .endsWith("\n1 failed\n");
  }

  /** Tests that need the card or Python were skipped then, and Maven reports a success. */
  @ParameterizedTest
  @CsvSource({"'', kept", "yes, not kept"})
  void shouldKeepNoResultOfARunThatLackedItsPrograms(String incomplete, String result)
      throws Exception {
    write("bin/mvn", "#!/bin/sh\n");
    write("started", "");
    String run =
        "source build-support/test.sh; all= class= areas_given= planned=tap incomplete="
            + incomplete
            + "; fork_limit_seconds() { echo 900; }; testing() { echo kept; };"
            + " run_maven_tests started";

    assertThat(bash(tree, "chmod +x bin/mvn").status()).isZero();
    assertThat(shell("mkdir -p build; PATH=$PWD/bin:$PATH; " + run).output().contains("kept\n"))
        .isEqualTo(result.equals("kept"));
  }

  /** A JVM that is told two does not start. */
  @ParameterizedTest
  @CsvSource({"-XX:+UseG1GC -Xmx1g, -XX:+UseG1GC", "-Xmx1g, -XX:+UseParallelGC"})
  void shouldTellMavenOneCollector(String options, String collector) throws Exception {
    write("bin/mvn", "#!/bin/sh\necho $MAVEN_OPTS\n");

    assertThat(bash(tree, "chmod +x bin/mvn").status()).isZero();
    String told = shell("PATH=$PWD/bin:$PATH; MAVEN_OPTS='" + options + "'; maven").output();
    assertThat(told.split("\\s+"))
        .filteredOn(option -> option.endsWith("GC"))
        .containsExactly(collector);
    assertThat(told).startsWith(options);
  }

  @Test
  void shouldSayWhichVersionItIsWithoutABuild() throws Exception {
    Result result = bash(tree, "./flowstone --version");

    assertThat(result.output()).matches("flowstone \\d+\\.\\d.*\n");
  }

  /** An image has no compiler. */
  @Test
  void shouldNeedACompilerForSourcesAlone() throws Exception {
    write("jre/release", "JAVA_VERSION=\"25.0.1\"\n");
    write("jre/bin/java", "");
    assertThat(bash(tree, "chmod +x jre/bin/java").status()).isZero();

    assertThat(shell("is_jdk jre").status()).as("in a checkout").isEqualTo(1);
    assertThat(shell("DISTRIBUTION=pom.xml; is_jdk jre").status()).as("built").isZero();
  }

  @Test
  void shouldKnowThatADistributionHasNoSources() throws Exception {
    Files.delete(tree.resolve("pom.xml"));
    write("build-support/distribution", "1.2\n");

    assertThat(bash(tree, "./flowstone --version").output()).isEqualTo("flowstone 1.2\n");
    assertThat(bash(tree, "./flowstone test"))
        .isEqualTo(
            new Result(1, "flowstone: test needs the sources, and this is a distribution\n"));
  }

  @Test
  void shouldRunAModuleFromItsJarUnlessAClassIsNewer() throws Exception {
    write("tap/target/flowstone-tap-1.0-SNAPSHOT-tests.jar", "");
    Path type = write("tap/target/classes/Tap.class", "");
    assertThat(shell("own_classes tap").output()).endsWith("/tap/target/classes\n");

    later(write("tap/target/flowstone-tap-1.0-SNAPSHOT.jar", ""), 5);
    assertThat(shell("own_classes tap").output()).endsWith("/flowstone-tap-1.0-SNAPSHOT.jar\n");

    later(type, 10);
    assertThat(shell("own_classes tap").output()).endsWith("/tap/target/classes\n");
  }

  @Test
  void shouldUseTheClassArchiveBesideTheJar() throws Exception {
    String options = "archive_options $PWD/tap/target/tap-1.jar; echo ${ARCHIVE_OPTIONS[*]}";
    assertThat(shell(options).output()).isEqualTo("\n");

    Path archive = write("tap/target/tap-1.jsa", "");
    assertThat(shell(options).output()).contains("-XX:SharedArchiveFile=" + archive);
  }

  /** The first session of a user makes it; there is none of a folder of classes. */
  @Test
  void shouldHaveTheSqlClientMakeItsClassArchive() throws Exception {
    String line =
        "FLOWSTONE_STATE=$PWD/state; source build-support/deployment.sh; name_configuration() { :; };"
            + " run() { archive_options %s; echo \"${ARCHIVE_OPTIONS[*]}\"; }; run_sql";
    assertThat(shell(line.formatted("sql-1.jar")).output())
        .contains("-XX:+AutoCreateSharedArchive -XX:SharedArchiveFile=" + tree + "/state/sql.jsa");
    assertThat(tree.resolve("state")).isDirectory();
    assertThat(shell(line.formatted("classes")).output()).isBlank();
  }

  @Test
  void shouldRunBrokerAndQuestDbByTheDeploymentModule() throws Exception {
    write("jdk/release", "JAVA_VERSION=\"25.0.1\"\n");
    write("jdk/bin/javac", "");
    write("jdk/bin/java", "#!/bin/sh\necho \"$@\"\n");
    write("deployment/target/runtime.classpath", "picocli.jar");
    write("deployment/target/classes/Command.class", "");
    String flowstone = "chmod +x jdk/bin/*; FLOWSTONE_BUILT=1 JAVA_HOME=$PWD/jdk ./flowstone ";
    String commands = " dev.flowstone.deployment.server.";

    assertThat(bash(tree, flowstone + "broker topics").output())
        .endsWith(commands + "BrokerCommand topics\n");
    assertThat(bash(tree, flowstone + "questdb start --port 0").output())
        .endsWith(commands + "QuestDbCommand start --port 0\n");
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static dev.flowstone.testbed.docs.ContainerFiles.COMPOSE;
import static dev.flowstone.testbed.docs.ContainerFiles.DOCKERFILE;
import static dev.flowstone.testbed.docs.ContainerFiles.FOLDER;
import static dev.flowstone.testbed.docs.ContainerFiles.HOME_IN_IMAGE;
import static dev.flowstone.testbed.docs.ContainerFiles.KUBERNETES;
import static dev.flowstone.testbed.docs.ContainerFiles.at;
import static dev.flowstone.testbed.docs.ContainerFiles.list;
import static dev.flowstone.testbed.docs.ContainerFiles.map;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.jobs.platform.PlatformCommand;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.rules.yaml.RulesYaml;
import dev.flowstone.tap.command.TapCommand;
import dev.flowstone.testbed.docs.ContainerFiles;
import dev.flowstone.testbed.programs.ProjectRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Image, Compose file and manifest against what they are made of: where versions, paths, options or
 * settings move on without them, this fails. What no container engine is needed for.
 */
class ContainerFilesTest {
  private static final Path ROOT = ProjectRoot.find();

  /** Which the tests of a tap cannot ask for, as it is the image's. */
  private static final String GROUP = "--group flowstone";

  private static final Pattern RINGS =
      Pattern.compile("--ring-count (\\d+) --ring-bytes (\\d+[kmg]) ");

  private static String text(Path file) throws IOException {
    return Files.readString(file);
  }

  private static String only(Path file, String pattern) throws IOException {
    List<String> found = all(text(file), pattern).stream().map(each -> each.group(1)).toList();
    assertThat(found).as("%s in %s", pattern, file).isNotEmpty();
    assertThat(found.stream().distinct()).as("%s in %s", pattern, file).hasSize(1);
    return found.getFirst();
  }

  private static List<MatchResult> all(String text, String pattern) {
    return Pattern.compile(pattern, Pattern.MULTILINE).matcher(text).results().toList();
  }

  private static String version() throws IOException {
    Matcher version =
        Pattern.compile("<version>(.*)</version>").matcher(text(ROOT.resolve("pom.xml")));
    assertThat(version.find()).isTrue();
    return version.group(1);
  }

  @Test
  void shouldNameTheVersionsOfTheBuild() throws Exception {
    Path pom = ROOT.resolve("pom.xml");
    for (Path file : List.of(COMPOSE, KUBERNETES)) {
      assertThat(only(file, "image: flowstone:(\\S+)")).isEqualTo(version());
    }
    assertThat(only(DOCKERFILE, "--tag flowstone:(\\S+)")).isEqualTo(version());
    assertThat(only(COMPOSE, "apache/kafka:(\\S+)"))
        .isEqualTo(only(pom, "<kafka.broker.version>(.*)<"));
    assertThat(only(COMPOSE, "questdb/questdb:(\\S+)"))
        .isEqualTo(
            only(
                ROOT.resolve("questdb/pom.xml"),
                "<artifactId>questdb</artifactId><version>([^<]*)<"));
    String flink = only(pom, "<flink.version>(.*)<");
    assertThat(only(FOLDER.resolve("image/install-flink.sh"), "VERSION=(.*)")).isEqualTo(flink);
    assertThat(at(ContainerFiles.kubernetes("FlinkDeployment"), "spec", "flinkVersion"))
        .isEqualTo("v" + flink.replaceFirst("\\.\\d+$", "").replace('.', '_'));
    assertThat(only(DOCKERFILE, "eclipse-temurin:(\\d+)-jre"))
        .isEqualTo(only(ROOT.resolve("build-support/setup.sh"), "JDK_VERSION=(\\d+)"));
  }

  /** All else that an image has comes from these files, or from the distribution whole. */
  @Test
  void shouldCopyWhatADistributionHas() throws Exception {
    String dist = text(ROOT.resolve("build-support/dist.sh"));
    List<MatchResult> copies = all(text(DOCKERFILE), "^COPY (?!--from)(.*) \\S+$");
    assertThat(copies).isNotEmpty();
    for (MatchResult copy : copies) {
      for (String source : copy.group(1).split(" ", -1)) {
        if (!source.equals(".") && !source.equals("build-support/distribution")) {
          assertThat(ROOT.resolve(source)).exists();
          assertThat(dist)
              .as(source)
              .containsPattern(" (" + source + "|" + folder(source) + ")\\s");
        }
      }
    }
    assertThat(dist).contains(" flink-conf/compose ", " flink-conf/kubernetes ");
  }

  private static String folder(String source) {
    return source.substring(0, source.lastIndexOf('/'));
  }

  @Test
  void shouldNameTheJarThatIsInTheImage() throws Exception {
    String jar =
        at(ContainerFiles.kubernetes("FlinkDeployment"), "spec", "job", "jarURI").toString();
    assertThat(jar).startsWith("local://" + HOME_IN_IMAGE);
    assertThat(ROOT.resolve(jar.substring(("local://" + HOME_IN_IMAGE).length())))
        .isEqualTo(ClusterJarITCase.jar("platform"));
  }

  /** Pods do not see the image's config.yaml. */
  @Test
  void shouldTellPodsWhatTheConfigurationTells() throws Exception {
    Map<String, Object> spec = map(ContainerFiles.kubernetes("FlinkDeployment").get("spec"));
    Map<String, String> ours =
        new LinkedHashMap<>(GlobalConfiguration.loadConfiguration(FOLDER.toString()).toMap());
    ours.values().removeIf("localhost"::equals);
    assertThat(ours.remove(JobManagerOptions.TOTAL_PROCESS_MEMORY.key()))
        .satisfies(size -> requireSize(size, spec, "jobManager"));
    assertThat(ours.remove(TaskManagerOptions.TOTAL_PROCESS_MEMORY.key()))
        .satisfies(size -> requireSize(size, spec, "taskManager"));
    assertThat(map(spec.get("flinkConfiguration"))).containsAllEntriesOf(ours);
  }

  private static void requireSize(String ours, Map<String, Object> spec, String process) {
    String theirs = at(spec, process, "resource", "memory").toString();
    assertThat(MemorySize.parse(theirs)).as(process).isEqualTo(MemorySize.parse(ours));
  }

  /** The image leaves out these lines: they would keep its Flink to its own container. */
  @Test
  void shouldBindToLocalhostByLinesThatTheImageLeavesOut() throws Exception {
    List<String> lines =
        all(text(FOLDER.resolve("config.yaml")), "^(.*): localhost$").stream()
            .map(line -> line.group(1))
            .toList();
    assertThat(lines)
        .containsExactlyInAnyOrder(
            "jobmanager.rpc.address",
            "jobmanager.bind-host",
            "taskmanager.host",
            "taskmanager.bind-host",
            "rest.address",
            "rest.bind-address");
    assertThat(text(FOLDER.resolve("image/install-flink.sh"))).contains("grep -v ': localhost$'");
  }

  @Test
  void shouldPublishPortsToThisMachineAlone() throws Exception {
    List<String> published = new ArrayList<>();
    for (Map<String, Object> service : ContainerFiles.services().values()) {
      published.addAll(list(service.getOrDefault("ports", List.of())));
    }
    assertThat(published).hasSize(5).allMatch(port -> port.startsWith("127.0.0.1:"));
  }

  @Test
  void shouldLetOursDoNoMoreThanTheyMust() throws Exception {
    ContainerFiles.services()
        .forEach(
            (name, service) -> {
              if (service.get("image").toString().startsWith("flowstone:")) {
                assertThat(service).as(name).containsEntry("cap_drop", List.of("ALL"));
                assertThat(service.get("cap_add"))
                    .as(name)
                    .isEqualTo(name.equals("tap-live") ? List.of("NET_RAW") : null);
              }
            });
  }

  @Test
  void shouldMountRingsWhereTapAndReadersLookForThem() throws Exception {
    Map<String, Map<String, Object>> services = ContainerFiles.services();
    for (String name : List.of("tap", "tap-live", "taskmanager")) {
      List<String> volumes = list(services.get(name).get("volumes"));
      assertThat(volumes).as(name).contains("rings:/dev/shm/flowstone");
    }
    assertThat(all(text(KUBERNETES), "hostPath: \\{path: /dev/shm/flowstone,")).hasSize(2);
    assertThat(all(text(KUBERNETES), "name: rings, mountPath: /dev/shm/flowstone}")).hasSize(2);
  }

  /** Only a rename puts it there whole or not at all; whoever comes later looks no closer. */
  @Test
  void shouldPutFlinkTogetherBesideItsPlace(@TempDir Path folder) throws Exception {
    Path seen = folder.resolve("seen");
    Path python = Files.createDirectory(folder.resolve("bin")).resolve("python3");
    Files.writeString(python, "#!/bin/sh\npwd >" + seen + "\nexit 1\n");
    assertThat(python.toFile().setExecutable(true)).isTrue();
    Path flink = folder.resolve("opt/flink");
    ProcessBuilder script =
        new ProcessBuilder(
            FOLDER.resolve("image/install-flink.sh").toString(),
            flink.toString(),
            FOLDER.resolve("config.yaml").toString());
    script
        .environment()
        .merge("PATH", python.getParent().toString(), (path, own) -> own + ":" + path);
    assertThat(script.start().waitFor()).isNotZero();
    assertThat(Path.of(Files.readString(seen).strip()).getParent())
        .isEqualTo(flink.getParent().toRealPath());
    assertThat(flink.getParent()).as("what is left of it").isEmptyDirectory();
  }

  /** A tap that starts again makes its rings beside the old ones, each with a header. */
  @Test
  void shouldHaveRoomForRingsTwice() throws Exception {
    long room = bytes(only(COMPOSE, "device: tmpfs, o: \"size=(\\w+),"));
    for (String name : List.of("tap", "tap-live")) {
      assertThat(room)
          .as(name)
          .isGreaterThanOrEqualTo(2 * ringBytes(command(ContainerFiles.services(), name)));
    }
    Map<String, Object> tap = tapOfKubernetes();
    long memory = bytes(at(tap, "resources", "limits", "memory").toString().replace("Gi", "g"));
    long own =
        bytes(only(ROOT.resolve("docs/performance.md"), "`tap.memory` .* (\\d+) \\| MiB") + "m");
    String arguments = String.join(" ", ContainerFiles.<String>list(tap.get("args")));
    assertThat(memory).isGreaterThanOrEqualTo(2 * ringBytes(arguments) + own);
    assertThat(at(tap, "resources", "requests", "memory"))
        .as("nobody else gets it meanwhile")
        .isEqualTo(at(tap, "resources", "limits", "memory"));
  }

  private static long ringBytes(String command) {
    Matcher options = RINGS.matcher(command);
    assertThat(options.find()).as(command).isTrue();
    return Integer.parseInt(options.group(1))
        * (bytes(options.group(2)) + RingFileHeaderLayout.HEADER_BYTES);
  }

  private static long bytes(String size) {
    return MemorySize.parseBytes(size);
  }

  private static Map<String, Object> tapOfKubernetes() throws IOException {
    return ContainerFiles.<Map<String, Object>>list(
            at(ContainerFiles.kubernetes("DaemonSet"), "spec", "template", "spec", "containers"))
        .getFirst();
  }

  @Test
  void shouldGiveTapsAndJobsOptionsThatTheyKnow() throws Exception {
    Map<String, Map<String, Object>> services = ContainerFiles.services();
    requireTap(command(services, "tap"));
    requireTap(command(services, "tap-live").replace("${TAP_INTERFACE:-eth0}", "eth0"));
    requireTap(String.join(" ", ContainerFiles.<String>list(tapOfKubernetes().get("args"))));

    String submit = "flowstone submit platform --jobmanager jobmanager:8081 --parallelism 2 ";
    assertThat(command(services, "job")).startsWith(submit);
    requireJob(command(services, "job").substring(submit.length()).split(" ", -1));
    List<String> arguments =
        list(at(ContainerFiles.kubernetes("FlinkDeployment"), "spec", "job", "args"));
    requireJob(arguments.toArray(String[]::new));
  }

  private static String command(Map<String, Map<String, Object>> services, String name) {
    return services.get(name).get("command").toString();
  }

  private static void requireTap(String command) throws ReflectiveOperationException {
    assertThat(command).startsWith("flowstone tap ").contains(GROUP);
    // Made by nobody but its own main method.
    var constructor = TapCommand.class.getDeclaredConstructor();
    constructor.setAccessible(true);
    new CommandLine(constructor.newInstance())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .parseArgs(command.replace(GROUP, "").substring("flowstone tap ".length()).split(" +", -1));
  }

  private static void requireJob(String... arguments) {
    new CommandLine(new PlatformCommand())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .parseArgs(arguments);
  }

  @Test
  void shouldBringRulesThatAreGood() throws Exception {
    assertThat(RulesYaml.read(FOLDER.resolve("compose/rules.yaml")).rules()).hasSize(4);
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static dev.flowstone.testbed.docs.ContainerFiles.at;
import static dev.flowstone.testbed.docs.ContainerFiles.map;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.testbed.docs.ContainerFiles;
import dev.flowstone.testbed.programs.ProjectRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What other people's programs have to say of the files for containers. The launcher installs them
 * from PyPI, beside what the notebooks' tests need.
 */
@Timeout(60)
class ContainerLintersTest {
  @TempDir private Path folder;

  @Test
  void shouldHaveADockerfileThatHadolintPasses() throws Exception {
    assertThat(said("hadolint", ContainerFiles.DOCKERFILE.toString())).isEmpty();
  }

  @Test
  void shouldHaveAComposeFileOfItsSchema() throws Exception {
    assertThat(
            said(
                "check-jsonschema",
                "--builtin-schema",
                "vendor.compose-spec",
                ContainerFiles.COMPOSE.toString()))
        .contains("validation done");
  }

  @Test
  void shouldHaveObjectsThatKubernetesKnows() throws Exception {
    assertThat(said("kubernetes-validate", "--strict", ContainerFiles.KUBERNETES.toString()))
        .contains("persistentvolumeclaim/flowstone-state", "daemonset/flowstone-tap");
  }

  /** The operator merges them into the pods of Flink, whose containers have images and more. */
  @Test
  void shouldHaveTemplatesOfPods() throws Exception {
    Map<String, Object> spec = map(ContainerFiles.kubernetes("FlinkDeployment").get("spec"));
    assertThat(pod("of-all", spec.get("podTemplate"))).contains("passed for resource pod/of-all");
    assertThat(pod("of-taskmanagers", at(spec, "taskManager", "podTemplate")))
        .contains("passed for resource pod/of-taskmanagers");
  }

  private String pod(String name, Object template) throws Exception {
    Map<String, Object> pod = new LinkedHashMap<>(map(template));
    pod.put("metadata", Map.of("name", name));
    Path file = folder.resolve(name + ".json");
    Files.writeString(file, new ObjectMapper().writeValueAsString(pod));
    return said("kubernetes-validate", "--strict", file.toString());
  }

  /** What it says when it is content. */
  private String said(String program, String... arguments) throws Exception {
    Path installed = ProjectRoot.find().resolve("build/venv/bin").resolve(program);
    assumeTrue(
        Files.exists(installed),
        "NOT CHECKED: no " + program + "; ./flowstone test installs it from PyPI");
    List<String> command = new ArrayList<>(List.of(installed.toString()));
    command.addAll(List.of(arguments));
    Path output = folder.resolve(program + ".out");
    int status =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start()
            .waitFor();
    assertThat(status).as(Files.readString(output)).isZero();
    return Files.readString(output);
  }
}

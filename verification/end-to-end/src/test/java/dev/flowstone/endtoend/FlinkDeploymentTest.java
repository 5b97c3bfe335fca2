// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static dev.flowstone.testbed.docs.ContainerFiles.at;
import static dev.flowstone.testbed.docs.ContainerFiles.list;
import static dev.flowstone.testbed.docs.ContainerFiles.map;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import dev.flowstone.deployment.Installation;
import dev.flowstone.deployment.MetricsOption;
import dev.flowstone.jobs.platform.PlatformCommand;
import dev.flowstone.testbed.docs.ContainerFiles;
import dev.flowstone.testbed.programs.ProjectRoot;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.HighAvailabilityOptions;
import org.apache.flink.metrics.prometheus.PrometheusReporterFactory;
import org.apache.flink.runtime.jobmanager.HighAvailabilityMode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/**
 * What the manifest asks of the Flink Kubernetes Operator: keys and values that it knows, and what
 * they name is there. The pod templates are {@link ContainerLintersTest}'s.
 */
class FlinkDeploymentTest {
  /** Whose keys are not the operator's. */
  private static final Set<String> OF_OTHERS = Set.of("flinkConfiguration", "podTemplate");

  private static final String REPORTERS = "metrics.reporter.";

  private static final JsonSchema SCHEMA =
      JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
          .getSchema(
              FlinkDeploymentTest.class.getResourceAsStream("/flink-deployment.schema.json"));

  private Map<String, Object> deployment;
  private Map<String, Object> job;
  private Map<String, String> options;

  @BeforeEach
  void read() throws IOException {
    deployment = ContainerFiles.kubernetes("FlinkDeployment");
    job = map(at(deployment, "spec", "job"));
    options = new LinkedHashMap<>();
    map(at(deployment, "spec", "flinkConfiguration"))
        .forEach((key, value) -> options.put(key, value.toString()));
  }

  @Test
  void shouldAskWhatTheOperatorKnows() {
    assertThat(SCHEMA.validate(tree(deployment))).isEmpty();
  }

  private static ObjectNode tree(Map<String, Object> document) {
    return new ObjectMapper().valueToTree(document);
  }

  /** Kubernetes drops a key that the CRD does not have, and the operator takes its own default. */
  @Test
  void shouldRefuseEachKeyMisspelt() {
    ObjectNode whole = tree(deployment);
    refuseEachKeyMisspelt(whole, whole);
  }

  private static void refuseEachKeyMisspelt(ObjectNode whole, ObjectNode part) {
    for (Map.Entry<String, JsonNode> entry : List.copyOf(part.properties())) {
      String key = entry.getKey();
      part.remove(key);
      part.set(key + "s", entry.getValue());
      assertThat(SCHEMA.validate(whole)).as("%ss in place of %s", key, key).isNotEmpty();
      part.remove(key + "s");
      part.set(key, entry.getValue());
      if (entry.getValue() instanceof ObjectNode inner && !OF_OTHERS.contains(key)) {
        refuseEachKeyMisspelt(whole, inner);
      }
    }
  }

  /** The main class of the jar, which is named there once more, and of the platform job. */
  @Test
  void shouldEnterTheJarByItsMainClass() throws Exception {
    String entry = job.get("entryClass").toString();
    Path file = new Installation(ProjectRoot.find()).clusterJar("platform");
    try (JarFile jar = new JarFile(file.toFile())) {
      Attributes manifest = jar.getManifest().getMainAttributes();
      assertThat(entry).isEqualTo(manifest.getValue(Attributes.Name.MAIN_CLASS));
      assertThat(jar.getEntry(entry.replace('.', '/') + ".class")).as(entry).isNotNull();
      assertThat(manifest.getValue("Flowstone-Job")).isEqualTo(PlatformCommand.class.getName());
    }
    int main = Class.forName(entry).getMethod("main", String[].class).getModifiers();
    assertThat(Modifier.isStatic(main)).isTrue();
  }

  /** Else a job begins anew, without a word, where its operator or its JobManager does. */
  @Test
  void shouldGoOnFromStateThatOutlivesThePods() throws Exception {
    Configuration configuration = Configuration.fromMap(options);
    assertThat(job.get("upgradeMode")).isIn("savepoint", "last-state");
    assertThat(HighAvailabilityMode.fromConfig(configuration))
        .isEqualTo(HighAvailabilityMode.KUBERNETES);
    Map<String, Object> pod = map(at(deployment, "spec", "podTemplate", "spec"));
    assertThat(at(only(pod, "volumes"), "persistentVolumeClaim", "claimName"))
        .isEqualTo(at(ContainerFiles.kubernetes("PersistentVolumeClaim"), "metadata", "name"));
    Map<String, Object> mount = only(only(pod, "containers"), "volumeMounts");
    assertThat(mount.get("name")).isEqualTo(only(pod, "volumes").get("name"));
    for (ConfigOption<String> folder :
        List.of(
            HighAvailabilityOptions.HA_STORAGE_PATH,
            CheckpointingOptions.CHECKPOINTS_DIRECTORY,
            CheckpointingOptions.SAVEPOINT_DIRECTORY)) {
      assertThat(configuration.get(folder))
          .as(folder.key())
          .startsWith("file://" + mount.get("mountPath") + "/");
    }
  }

  private static Map<String, Object> only(Map<String, Object> map, String key) {
    List<Map<String, Object>> all = list(map.get(key));
    assertThat(all).as(key).hasSize(1);
    return all.getFirst();
  }

  /** Flink passes over a key that it does not know. */
  @Test
  void shouldSetOptionsThatFlinkKnowsToWhatTheyCanBe() throws Exception {
    Map<String, ConfigOption<?>> known = knownOptions();
    Set<String> ours = new TreeSet<>(options.keySet());
    ours.removeIf(key -> key.startsWith(REPORTERS));
    assertThat(ours).allMatch(known::containsKey);
    Configuration configuration = Configuration.fromMap(options);
    for (String key : ours) {
      assertThat(configuration.getOptional(known.get(key))).as(key).isPresent();
    }
  }

  /** All that Flink's core declares, by key. */
  private static Map<String, ConfigOption<?>> knownOptions()
      throws IOException, URISyntaxException, ReflectiveOperationException {
    Path core =
        Path.of(CoreOptions.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Map<String, ConfigOption<?>> known = new TreeMap<>();
    try (JarFile jar = new JarFile(core.toFile())) {
      for (String name : optionClasses(jar)) {
        for (Field field : Class.forName(name).getFields()) {
          if (field.getType() == ConfigOption.class) {
            ConfigOption<?> option = (ConfigOption<?>) field.get(null);
            known.put(option.key(), option);
          }
        }
      }
    }
    return known;
  }

  private static List<String> optionClasses(JarFile jar) {
    String folder = CoreOptions.class.getPackageName().replace('.', '/');
    return jar.stream()
        .map(entry -> entry.getName())
        .filter(name -> name.matches(folder + "/\\w+Options\\.class"))
        .map(name -> name.substring(0, name.lastIndexOf('.')).replace('/', '.'))
        .toList();
  }

  /**
   * A reporter's keys are declared nowhere: they are those of {@code --metrics}. The image has
   * Flink's own reporter, for in a pod it has to listen at all addresses.
   */
  @Test
  void shouldServeMetricsAsTheLauncherDoes() throws Exception {
    MetricsOption metrics = new MetricsOption();
    new CommandLine(metrics).parseArgs("--metrics", "9249-9250");
    Configuration launched = new Configuration();
    metrics.putInto(launched, 2);
    launched.setString(REPORTERS + "prometheus.port", "9249");
    launched.setString(
        REPORTERS + "prometheus.factory.class", PrometheusReporterFactory.class.getName());
    launched.removeKey(REPORTERS + "prometheus.address");
    Map<String, String> ours = new LinkedHashMap<>(options);
    ours.keySet().removeIf(key -> !key.startsWith(REPORTERS));
    assertThat(ours).isEqualTo(launched.toMap());
  }
}

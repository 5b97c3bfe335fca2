// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.docs;

import dev.flowstone.testbed.programs.ProjectRoot;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The files for containers and Kubernetes, read. */
public final class ContainerFiles {
  public static final Path FOLDER = ProjectRoot.find().resolve("flink-conf");
  public static final Path DOCKERFILE = FOLDER.resolve("image/Dockerfile");
  public static final Path COMPOSE = FOLDER.resolve("compose/compose.yaml");
  public static final Path KUBERNETES = FOLDER.resolve("kubernetes/flowstone-platform.yaml");

  /** Where the image has what a distribution has. */
  public static final String HOME_IN_IMAGE = "/opt/flowstone/";

  private static final String MERGE = "<<";

  private ContainerFiles() {}

  /** The services of the Compose file, with what they share. */
  public static Map<String, Map<String, Object>> services() throws IOException {
    Map<String, Map<String, Object>> services = new LinkedHashMap<>();
    map(documents(COMPOSE).getFirst().get("services"))
        .forEach((name, service) -> services.put(name, merged(map(service))));
    return services;
  }

  private static Map<String, Object> merged(Map<String, Object> service) {
    Map<String, Object> merged = new LinkedHashMap<>(map(service.getOrDefault(MERGE, Map.of())));
    merged.putAll(service);
    merged.remove(MERGE);
    return merged;
  }

  /** The one object of that kind in the manifest. */
  public static Map<String, Object> kubernetes(String kind) throws IOException {
    return documents(KUBERNETES).stream()
        .filter(document -> document.get("kind").equals(kind))
        .findFirst()
        .orElseThrow();
  }

  private static List<Map<String, Object>> documents(Path file) throws IOException {
    List<Map<String, Object>> documents = new ArrayList<>();
    try (InputStream in = Files.newInputStream(file)) {
      new Load(LoadSettings.builder().build())
          .loadAllFromInputStream(in)
          .forEach(document -> documents.add(map(document)));
    }
    return documents;
  }

  /** What is there on the way of these names. */
  public static Object at(Map<String, Object> map, String... names) {
    Object found = map;
    for (String name : names) {
      found = map(found).get(name);
    }
    return found;
  }

  @SuppressWarnings("unchecked")
  public static Map<String, Object> map(Object value) {
    return (Map<String, Object>) value;
  }

  @SuppressWarnings("unchecked")
  public static <T> List<T> list(Object value) {
    return (List<T>) value;
  }
}

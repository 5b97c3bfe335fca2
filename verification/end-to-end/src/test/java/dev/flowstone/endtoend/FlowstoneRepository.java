// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.spi.ToolProvider;

/**
 * A folder with Flowstone's artifacts, laid out as Maven wants a repository: what the writer of a
 * job has of Flowstone. The property flowstone.repository names one that exists; else it is made of
 * what this build has compiled.
 */
final class FlowstoneRepository {
  private static final String PLACE = "flowstone.repository";
  private static final String VERSION = "0.1.0-SNAPSHOT";
  private static final String SOURCES = "src/main/java";
  private static final String GROUP = "dev/flowstone";

  /** What the source needs, by folder of the checkout. */
  private static final Map<String, String> ARTIFACTS =
      Map.of(
          "hw/model", "flowstone-parser-library",
          "packet-model", "flowstone-packet-model",
          "offheap", "flowstone-offheap",
          "blocks", "flowstone-blocks",
          "connector-fpga-source", "flowstone-connector-fpga-source");

  private FlowstoneRepository() {}

  static Path in(Path folder) throws IOException {
    String existing = System.getProperty(PLACE);
    return existing == null ? make(folder.resolve("repository")) : Path.of(existing);
  }

  private static Path make(Path repository) throws IOException {
    Path root = ProjectRoot.find();
    Files.copy(root.resolve("pom.xml"), place(repository, "flowstone", ".pom"));
    for (Map.Entry<String, String> artifact : ARTIFACTS.entrySet()) {
      Path module = root.resolve(artifact.getKey());
      Path jar = place(repository, artifact.getValue(), ".jar");
      Files.copy(module.resolve("pom.xml"), place(repository, artifact.getValue(), ".pom"));
      run("jar", "--create", "--file", jar, "-C", module.resolve("target/classes"), ".");
      if (Files.isDirectory(module.resolve(SOURCES))) {
        Path sources = place(repository, artifact.getValue(), "-sources.jar");
        run("jar", "--create", "--file", sources, "-C", module.resolve(SOURCES), ".");
      }
    }
    return repository;
  }

  private static Path place(Path repository, String name, String suffix) throws IOException {
    Path folder = repository.resolve(GROUP).resolve(name).resolve(VERSION);
    return Files.createDirectories(folder).resolve(name + "-" + VERSION + suffix);
  }

  private static void run(String tool, Object... arguments) {
    String[] words = new String[arguments.length];
    for (int i = 0; i < words.length; i++) {
      words[i] = arguments[i].toString();
    }
    int status = ToolProvider.findFirst(tool).orElseThrow().run(System.out, System.err, words);
    if (status != 0) {
      throw new IllegalStateException(tool + " " + String.join(" ", words) + ": status " + status);
    }
  }
}

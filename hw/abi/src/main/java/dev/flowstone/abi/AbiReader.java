// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Reads every {@code hw/abi/*.yaml}, in the order of the file names, and validates what it read.
 */
final class AbiReader {
  private AbiReader() {}

  static Abi read(Path projectRoot) throws IOException {
    List<Page> pages = new ArrayList<>();
    for (Path file : yamlFiles(projectRoot.resolve("hw/abi"))) {
      String stem = file.getFileName().toString().replaceFirst("\\.yaml$", "");
      pages.add(page(stem, Files.readString(file)));
    }
    return validated(new Abi(pages));
  }

  static Abi validated(Abi abi) {
    List<String> problems = AbiValidator.problems(abi);
    if (!problems.isEmpty()) {
      throw new AbiException(problems);
    }
    return abi;
  }

  static Page page(String stem, String text) {
    String place = "hw/abi/" + stem + ".yaml";
    List<Layout> layouts = new ArrayList<>();
    try {
      LoadSettings settings = LoadSettings.builder().setLabel(place).build();
      for (Object document : new Load(settings).loadAllFromString(text)) {
        layouts.add(LayoutReader.layout(YamlMap.of(place, document)));
      }
    } catch (YamlEngineException e) {
      throw new AbiException(place + ": " + e.getMessage());
    }
    return new Page(stem, layouts);
  }

  private static List<Path> yamlFiles(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList();
    }
  }
}

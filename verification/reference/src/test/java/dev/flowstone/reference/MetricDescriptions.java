// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** What metrics mean, by the class that registers them: {@code metrics.yaml}. */
final class MetricDescriptions {
  private static final String FILE = "/metrics.yaml";

  /** In words, and in what it is counted. */
  record Meaning(String unit, String words) {}

  /** The metrics of a class. */
  record Section(String by, String title, String about, Map<String, Meaning> meanings) {}

  private final List<Section> sections = new ArrayList<>();
  private final Map<String, String> recorded = new LinkedHashMap<>();

  MetricDescriptions() {
    Map<?, ?> file = load();
    for (Object section : (List<?>) file.get("registered")) {
      sections.add(section((Map<?, ?>) section));
    }
    ((Map<?, ?>) file.get("recorded"))
        .forEach((name, words) -> recorded.put((String) name, (String) words));
  }

  private static Map<?, ?> load() {
    try (InputStream file = MetricDescriptions.class.getResourceAsStream(FILE)) {
      return (Map<?, ?>) new Load(LoadSettings.builder().build()).loadFromInputStream(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Section section(Map<?, ?> section) {
    Map<String, Meaning> meanings = new LinkedHashMap<>();
    ((Map<?, ?>) section.get("metrics"))
        .forEach(
            (name, said) -> {
              List<?> parts = (List<?>) said;
              meanings.put(
                  (String) name, new Meaning((String) parts.get(0), (String) parts.get(1)));
            });
    return new Section(
        (String) section.get("by"),
        (String) section.get("title"),
        (String) section.get("about"),
        meanings);
  }

  List<Section> sections() {
    return sections;
  }

  Map<String, String> recorded() {
    return recorded;
  }

  /** As {@code RingMetrics.packetsLost}. */
  Set<String> names() {
    return sections.stream()
        .flatMap(
            section -> section.meanings().keySet().stream().map(name -> section.by() + "." + name))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The same of what was seen. */
  static Set<String> names(List<Registration> seen) {
    return seen.stream()
        .map(each -> each.by() + "." + each.name())
        .collect(Collectors.toCollection(TreeSet::new));
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What every session begins with: the tables of {@code flink-conf/sql}, and the jars that they
 * need.
 *
 * @param scripts folder of SQL, in whose words in braces places are put
 * @param jars folder of connectors
 */
record Catalogue(Path scripts, Path jars) {
  private static final String HOME = "flowstone.home";
  private static final Pattern END = Pattern.compile(";\\n");
  private static final Pattern WORD = Pattern.compile("\\$\\{([a-z_]+)\\}");

  /** Stands where further options of a table of Kafka's may come. */
  private static final String KAFKA_OPTIONS = "kafka_options";

  /**
   * Before the tables: functions, times as results have them, room for an IPv6 address and for what
   * an alert says, and that a query which fails again and again says why instead of being started
   * for ever.
   */
  private static final String SESSION =
      """
      LOAD MODULE flowstone;
      SET 'table.local-time-zone' = 'UTC';
      SET 'table.display.max-column-width' = '120';
      SET 'execution.runtime-mode' = '${runtime_mode}';
      SET 'table.optimizer.adaptive-broadcast-join.strategy' = 'none';
      SET 'table.optimizer.skewed-join-optimization.strategy' = 'none';
      SET 'restart-strategy.type' = '${restart_strategy}';
      SET 'restart-strategy.failure-rate.max-failures-per-interval' = '3';
      SET 'restart-strategy.failure-rate.failure-rate-interval' = '5 min';
      SET 'restart-strategy.failure-rate.delay' = '1 s';
      """;

  /** Where the launcher says that this program is. */
  static Catalogue find() {
    Path home = Path.of(System.getProperty(HOME));
    return new Catalogue(
        home.resolve("flink-conf/sql"), home.resolve("sql/client/target/connectors"));
  }

  List<Path> connectors() throws IOException {
    return filesIn(jars, ".jar");
  }

  /**
   * The statements, in their order.
   *
   * @param literals by the words for them; each is one, whatever is in it
   * @param kafkaOptions of tables of Kafka's, by their keys
   */
  List<String> statements(Map<String, String> literals, Map<String, String> kafkaOptions)
      throws IOException {
    Map<String, String> texts = new HashMap<>();
    literals.forEach((word, literal) -> texts.put(word, quoted(literal)));
    texts.put(KAFKA_OPTIONS, lines(kafkaOptions));
    StringBuilder all = new StringBuilder(SESSION);
    for (Path file : filesIn(scripts, ".sql")) {
      all.append(Files.readString(file)).append('\n');
    }
    // Before texts are put in, which may have ends of their own.
    return END.splitAsStream(all)
        .map(String::strip)
        .filter(each -> !each.isEmpty())
        .map(each -> filledIn(each, texts))
        .toList();
  }

  private static List<Path> filesIn(Path folder, String ending) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(ending)).sorted().toList();
    }
  }

  private static String quoted(String literal) {
    return literal.replace("'", "''");
  }

  private static String lines(Map<String, String> options) {
    return options.entrySet().stream()
        .map(each -> "'%s' = '%s',".formatted(quoted(each.getKey()), quoted(each.getValue())))
        .collect(Collectors.joining("\n  "));
  }

  private static String filledIn(String script, Map<String, String> texts) {
    return WORD.matcher(script)
        .replaceAll(
            match -> {
              String text = texts.get(match.group(1));
              if (text == null) {
                throw new IllegalStateException("nothing is known of " + match.group());
              }
              return Matcher.quoteReplacement(text);
            });
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import dev.flowstone.reference.MetricDescriptions.Section;
import dev.flowstone.reference.RunningTaps.TapMetrics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Every metric of taps and jobs, as seen while they ran. */
final class MetricsPage {
  private static final String NAME = "metrics.md";
  private static final String RULES = "flink-conf/prometheus/flowstone.rules.yaml";
  private static final String JOB_MANAGER = "jobmanager";
  private static final Pattern HELP = Pattern.compile("(?m)^# HELP (\\S+) (.*)$");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

  /** Whose values are always the same few. */
  private static final Set<String> LABELS_WITH_VALUES =
      Set.of("reason", "notice", "cause", "place");

  private final Project project;
  private final TapMetrics taps;
  private final List<Registration> seen;
  private final MetricDescriptions descriptions = new MetricDescriptions();
  private final StringBuilder text = new StringBuilder();

  /**
   * @param taps what a tap, a sender, a receiver and a tap of a card told Prometheus
   * @param seen what jobs registered meanwhile
   */
  MetricsPage(Project project, TapMetrics taps, List<Registration> seen) {
    this.project = project;
    this.taps = taps;
    this.seen = seen;
  }

  Page page() {
    text.append(
        """
        # Metrics

        What taps and jobs count. [Monitoring](../monitoring.md) says how to get at it: on the command line, as results in Kafka and QuestDB, in
        Prometheus and Grafana.

        """);
    contents();
    taps();
    descriptions.sections().forEach(this::section);
    recorded();
    return new Page(NAME, Generated.page(text));
  }

  private void contents() {
    text.append("- ").append(Words.link("A tap"));
    text.append(", ").append(Words.link("A sender"));
    text.append(", ").append(Words.link("A receiver"));
    text.append(", ").append(Words.link("A card")).append('\n');
    text.append("- Flink's operators: ");
    text.append(
        descriptions.sections().stream()
            .map(section -> Words.link(section.title()))
            .collect(Collectors.joining(", ")));
    text.append("\n- ").append(Words.link("Recorded by Prometheus"));
    text.append(", ").append(Words.link("Alerts of Prometheus")).append("\n\n");
  }

  private void taps() {
    text.append(
        """
        ## A tap

        `./flowstone tap ... --metrics 9400` serves them at `http://127.0.0.1:9400/metrics`. Counters begin with the tap.

        """);
    table(taps.tap(), "");
    text.append(
        """
        ## A sender

        `./flowstone tap forward --metrics 9400`. [Between hosts](../forward.md) says what they mean together.

        """);
    table(taps.sender(), "");
    text.append(
        """
        ## A receiver

        `./flowstone tap receive --metrics 9400`. Its rings and their readers have the metrics of a tap's, too.

        """);
    table(taps.receiver(), "flowstone_receive_");
    text.append(
        """
        ## A card

        `./flowstone tap card --metrics 9400`. [Cards](../card.md) says what they mean together. Its rings and their readers have the metrics of a
        tap's, too, each with the label `card`.

        """);
    table(taps.card(), "flowstone_card_");
  }

  /** A row for each metric that begins so. */
  private void table(String told, String beginning) {
    Table table = new Table("metric", "type", "labels", "meaning");
    HELP.matcher(told)
        .results()
        .filter(help -> help.group(1).startsWith(beginning))
        .forEach(help -> row(table, told, help.group(1), help.group(2)));
    text.append(table);
  }

  private static void row(Table table, String told, String metric, String help) {
    Map<String, Set<String>> labels = labelsOf(told, metric);
    StringBuilder meaning = new StringBuilder(help);
    labels.forEach(
        (label, values) -> {
          if (LABELS_WITH_VALUES.contains(label)) {
            meaning.append(" `").append(label).append("` is ").append(codes(values)).append('.');
          }
        });
    table.row(Words.code(metric), typeOf(told, metric), codes(labels.keySet()), meaning.toString());
  }

  private static String typeOf(String told, String metric) {
    return Pattern.compile("(?m)^# TYPE " + metric + " (\\w+)$")
        .matcher(told)
        .results()
        .map(type -> type.group(1))
        .findFirst()
        .orElseThrow();
  }

  private static Map<String, Set<String>> labelsOf(String told, String metric) {
    Map<String, Set<String>> labels = new LinkedHashMap<>();
    Pattern.compile("(?m)^" + metric + "\\{(.*)} ")
        .matcher(told)
        .results()
        .flatMap(sample -> LABEL.matcher(sample.group(1)).results())
        .forEach(label -> note(labels, label));
    return labels;
  }

  private static void note(Map<String, Set<String>> labels, MatchResult label) {
    labels.computeIfAbsent(label.group(1), _ -> new TreeSet<>()).add(label.group(2));
  }

  private void section(Section section) {
    List<Registration> ofClass =
        seen.stream().filter(each -> each.by().equals(section.by())).toList();
    text.append("## ").append(section.title()).append("\n\n");
    if (!section.about().isEmpty()) {
      text.append(section.about()).append("\n\n");
    }
    places(ofClass);
    Table table = new Table("metric", "kind", "unit", "meaning");
    section
        .meanings()
        .forEach(
            (name, meaning) ->
                table.row(Words.code(name), kind(ofClass, name), meaning.unit(), meaning.words()));
    text.append(table);
  }

  private static String kind(List<Registration> ofClass, String name) {
    return ofClass.stream()
        .filter(each -> each.name().equals(name))
        .map(each -> each.kind().name().toLowerCase(Locale.ROOT))
        .distinct()
        .collect(Collectors.joining(", "));
  }

  /** Where they are: of which operators, by which names in Prometheus, in results or not. */
  private void places(List<Registration> ofClass) {
    Map<String, Set<String>> namesByGroups = new TreeMap<>();
    Set<String> operators = new TreeSet<>();
    for (Registration each : ofClass) {
      namesByGroups.computeIfAbsent(each.groups(), _ -> new TreeSet<>()).add(each.name());
      operators.add(each.operator());
    }
    // In the JobManager an operator bears the names of all that it is chained to.
    if (!ofClass.isEmpty() && !ofClass.getFirst().groups().startsWith(JOB_MANAGER)) {
      text.append("Operators: ").append(codes(operators)).append(".\n");
    }
    namesByGroups.forEach(
        (groups, names) -> {
          text.append("In Prometheus: `flink_").append(groups).append("_` and the name");
          if (namesByGroups.size() > 1) {
            text.append(", of ").append(codes(names));
          }
          text.append(".\n");
        });
    text.append(results(ofClass)).append("\n\n");
  }

  private static String results(List<Registration> ofClass) {
    Set<String> untold =
        ofClass.stream()
            .filter(each -> !each.isTold())
            .map(Registration::name)
            .collect(Collectors.toCollection(TreeSet::new));
    if (ofClass.stream().noneMatch(Registration::isTold)) {
      return "Not in results of the kind `stage`.";
    }
    return "In results of the kind `stage` by the same names in snake_case"
        + (untold.isEmpty() ? "." : ", but for " + codes(untold) + ".");
  }

  private static String codes(Set<String> names) {
    return names.stream().map(Words::code).collect(Collectors.joining(", "));
  }

  private void recorded() {
    Map<?, ?> file =
        (Map<?, ?>) new Load(LoadSettings.builder().build()).loadFromString(project.read(RULES));
    Set<String> names = new TreeSet<>();
    Table alerts = new Table("alert", "when", "which says");
    for (Object group : (List<?>) file.get("groups")) {
      for (Object each : (List<?>) ((Map<?, ?>) group).get("rules")) {
        Map<?, ?> rule = (Map<?, ?>) each;
        if (rule.get("record") != null) {
          names.add((String) rule.get("record"));
        } else {
          alert(alerts, rule);
        }
      }
    }
    requireEach(names);
    text.append("## Recorded by Prometheus\n\n");
    text.append("By the rules in `").append(RULES).append("`, of Flink's metrics.\n\n");
    Table table = new Table("metric", "meaning");
    descriptions.recorded().forEach((name, words) -> table.row(Words.code(name), words));
    text.append(table);
    text.append("## Alerts of Prometheus\n\nOf the same file.\n\n").append(alerts);
  }

  private static void alert(Table table, Map<?, ?> rule) {
    Object lasting = rule.get("for");
    table.row(
        Words.code((String) rule.get("alert")),
        Words.code((String) rule.get("expr")) + (lasting == null ? "" : " for " + lasting),
        (String) ((Map<?, ?>) rule.get("annotations")).get("summary"));
  }

  private void requireEach(Set<String> names) {
    if (!names.equals(descriptions.recorded().keySet())) {
      throw new IllegalStateException(
          RULES
              + " records "
              + names
              + ", metrics.yaml tells of "
              + descriptions.recorded().keySet());
    }
  }
}

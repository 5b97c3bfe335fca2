// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import dev.flowstone.connector.fpga.FlowExchange;
import dev.flowstone.connector.fpga.FpgaSourceBuilder;
import dev.flowstone.connector.fpga.ReleaseMode;
import dev.flowstone.connector.fpga.StartingPosition;
import dev.flowstone.sql.connector.format.PacketsFormatFactory;
import dev.flowstone.sql.connector.functions.FlowstoneModule;
import dev.flowstone.sql.connector.packets.PacketColumn;
import dev.flowstone.sql.connector.source.FpgaTableFactory;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.description.HtmlFormatter;
import org.apache.flink.table.connector.source.abilities.SupportsReadingMetadata;
import org.apache.flink.table.factories.Factory;
import org.apache.flink.table.functions.FunctionDefinition;
import org.apache.flink.table.types.DataType;
import org.apache.flink.util.TimeUtils;

/** What the connectors take: the tables of SQL, the functions, the source of the DataStream API. */
final class ConnectorsPage {
  private static final String NAME = "connectors.md";
  private static final String METADATA_OF_RINGS =
      "sql/connector/src/main/java/dev/flowstone/sql/connector/source/BlockPlace.java";
  private static final String METADATA_OF_COUNTS =
      "sql/connector/src/main/java/dev/flowstone/sql/connector/counts/CountField.java";
  private static final String METADATA_OF_MESSAGES =
      "sql/connector/src/main/java/dev/flowstone/sql/connector/format/BatchPlace.java";

  private final Project project;
  private final StringBuilder text = new StringBuilder();

  ConnectorsPage(Project project) {
    this.project = project;
  }

  Page page() {
    text.append(
        """
        # Connectors

        What can be told to tables of SQL and to the source of the DataStream API, and what they have. How to use them: [SQL](../sql.md), [tables of
        rings](../../sql/connector/README.md), [the source](../../connector-fpga-source/README.md), [a first job](../first-job.md).

        """);
    FpgaTableFactory rings = new FpgaTableFactory();
    PacketsFormatFactory messages = new PacketsFormatFactory();
    section("Tables of rings", "`'connector' = 'fpga'` reads the rings that taps fill.");
    options(rings, "");
    section(
        "Columns",
        "Of tables of rings, and of topics with `'format' = 'packets'`. A table declares those that it wants. A table of counts has, besides,"
            + " `packets` and `octets`, both `BIGINT NOT NULL`; its `rowtime` is where the interval begins.");
    columns();
    section(
        "Metadata of rings",
        "Declared as `ring INT NOT NULL METADATA`, of tables whose rows are packets.");
    metadata(METADATA_OF_RINGS, tableOfRings(rings, Map.of()).listReadableMetadata());
    section("Metadata of counts", "Declared in the same way, of tables with `count.interval`.");
    metadata(
        METADATA_OF_COUNTS,
        tableOfRings(rings, Map.of("count.interval", "100 ms")).listReadableMetadata());
    section(
        "Messages",
        "`'format' = 'packets'` reads and writes packet batches, mostly with `'connector' = 'kafka'`.");
    options(messages, "packets.");
    section(
        "Metadata of messages",
        "Declared as `weight BIGINT NOT NULL METADATA FROM 'value.weight' VIRTUAL`. `weight` and `rule` may be columns instead, which are written, too.");
    metadata(
        METADATA_OF_MESSAGES,
        messages
            .createDecodingFormat(PlannedTable.with(Map.of()), new Configuration())
            .listReadableMetadata());
    section("Functions", "Known after `LOAD MODULE flowstone`, as they are in `./flowstone sql`.");
    functions();
    section(
        "DataStream source",
        "`FpgaSource.builder()`, then these, then `build()`; only `ringDirectory` is needed.");
    builder();
    constants("What `release` takes, `ReleaseMode`:", ReleaseMode.class);
    constants("What `startingPosition` takes, `StartingPosition`:", StartingPosition.class);
    constants(
        "`FlowExchange.….blocksByFlow(environment, source, name)` adds the source to a job whose operators keep state by flow:",
        FlowExchange.class);
    return new Page(NAME, Generated.page(text));
  }

  private void section(String heading, String intro) {
    text.append("## ").append(heading).append("\n\n").append(intro).append("\n\n");
  }

  /** Those that must be told come first, then by name. */
  private void options(Factory factory, String prefix) {
    Table table = new Table("option", "type", "default", "meaning");
    options(table, factory.requiredOptions(), prefix, " Required.");
    options(table, factory.optionalOptions(), prefix, "");
    text.append(table);
  }

  private static void options(
      Table table, Collection<ConfigOption<?>> options, String prefix, String ending) {
    options.stream()
        .sorted(Comparator.comparing(ConfigOption::key))
        .forEach(
            option ->
                table.row(
                    Words.code(prefix + option.key()),
                    OptionType.of(option),
                    Words.code(spell(option.defaultValue())),
                    Words.sentence(new HtmlFormatter().format(option.description())) + ending));
  }

  private static String spell(Object value) {
    return switch (value) {
      case null -> "";
      case Duration duration -> TimeUtils.formatWithHighestUnit(duration);
      case Enum<?> one -> OptionType.spell(one);
      default -> value.toString();
    };
  }

  private void columns() {
    SourceComments comments = SourceComments.of(project.sourceOf(PacketColumn.class));
    Table table = new Table("column", "type", "NULL where", "meaning");
    for (PacketColumn column : PacketColumn.values()) {
      table.row(
          Words.code(column.columnName()),
          Words.code(column.type().toString()),
          absence(column.presence()),
          comments.all(column.name()));
    }
    text.append(table);
  }

  private static String absence(PacketColumn.Presence presence) {
    return switch (presence) {
      case ALWAYS -> "";
      case OF_IP -> "not IP";
      case OF_OTHERS -> "IP";
      case OF_TCP -> "not TCP";
      case WHERE_READABLE -> "it could not be read";
    };
  }

  private void metadata(String source, Map<String, DataType> types) {
    SourceComments comments = SourceComments.of(project.root().resolve(source));
    Table table = new Table("metadata", "type", "meaning");
    types.forEach(
        (name, type) ->
            table.row(
                Words.code(name),
                Words.code(type.toString()),
                comments.all(name.toUpperCase(Locale.ROOT))));
    text.append(table);
  }

  /** As Flink makes one of a statement. */
  private static SupportsReadingMetadata tableOfRings(
      FpgaTableFactory factory, Map<String, String> options) {
    Map<String, String> all = new HashMap<>(options);
    all.putAll(Map.of("connector", "fpga", "rings", "/dev/shm/flowstone"));
    return (SupportsReadingMetadata) factory.createDynamicTableSource(PlannedTable.with(all));
  }

  private void functions() {
    FlowstoneModule module = new FlowstoneModule();
    Table table = new Table("function", "of", "gives", "meaning");
    for (String name : new TreeSet<>(module.listFunctions())) {
      FunctionDefinition function = module.getFunctionDefinition(name).orElseThrow();
      String comment =
          SourceComments.of(project.sourceOf(function.getClass()))
              .all(function.getClass().getSimpleName());
      List<Method> forms = forms(function);
      table.row(
          Words.code(name),
          forms.stream().map(ConnectorsPage::taken).collect(Collectors.joining("; or ")),
          forms.stream()
              .map(form -> given(function, form))
              .distinct()
              .collect(Collectors.joining()),
          comment);
    }
    text.append(table);
  }

  private static List<Method> forms(FunctionDefinition function) {
    return Stream.of(function.getClass().getMethods())
        .filter(method -> method.getName().equals("eval") || method.getName().equals("accumulate"))
        .sorted(
            Comparator.comparingInt(Method::getParameterCount).thenComparing(ConnectorsPage::taken))
        .toList();
  }

  /** Of an aggregate, all but what it has so far. */
  private static String taken(Method form) {
    return Stream.of(form.getParameterTypes())
        .map(ConnectorsPage::sqlType)
        .flatMap(Optional::stream)
        .map(Words::code)
        .collect(Collectors.joining(", "));
  }

  private static String given(FunctionDefinition function, Method form) {
    Class<?> type = form.getReturnType();
    if (type == void.class) {
      type =
          Stream.of(function.getClass().getMethods())
              .filter(method -> method.getName().equals("getValue") && !method.isBridge())
              .findAny()
              .orElseThrow()
              .getReturnType();
    }
    return Words.code(sqlType(type).orElseThrow());
  }

  private static Optional<String> sqlType(Class<?> type) {
    return Optional.ofNullable(
        Map.<Class<?>, String>of(
                Long.class, "BIGINT",
                Integer.class, "INT",
                Double.class, "DOUBLE",
                Boolean.class, "BOOLEAN",
                String.class, "STRING",
                byte[].class, "BYTES")
            .get(type));
  }

  /** What comes first says what it is; what else a page needs to know begins with its default. */
  private void builder() {
    SourceComments comments = SourceComments.of(project.sourceOf(FpgaSourceBuilder.class));
    String source = Project.read(project.sourceOf(FpgaSourceBuilder.class));
    Table table = new Table("method", "meaning");
    Stream.of(FpgaSourceBuilder.class.getDeclaredMethods())
        .filter(method -> Modifier.isPublic(method.getModifiers()))
        .filter(method -> method.getReturnType() == FpgaSourceBuilder.class)
        .sorted(Comparator.comparingInt(method -> source.indexOf(" " + method.getName() + "(")))
        .forEach(method -> table.row(Words.code(signature(method)), told(comments, method)));
    text.append(table);
  }

  private static String told(SourceComments comments, Method method) {
    String first = comments.firstSentence(method.getName());
    if (first.contains("efault")) {
      return first;
    }
    return Stream.concat(
            Stream.of(first),
            Stream.of(comments.all(method.getName()).split("(?<=\\.) "))
                .filter(sentence -> sentence.startsWith("Default")))
        .collect(Collectors.joining(" "));
  }

  private static String signature(Method method) {
    return Stream.of(method.getParameters())
        .map(parameter -> parameter.getType().getSimpleName() + " " + parameter.getName())
        .collect(Collectors.joining(", ", method.getName() + "(", ")"));
  }

  private <E extends Enum<E>> void constants(String intro, Class<E> type) {
    SourceComments comments = SourceComments.of(project.sourceOf(type));
    Table table = new Table("value", "meaning");
    for (E value : type.getEnumConstants()) {
      table.row(Words.code(value.name()), comments.all(value.name()));
    }
    text.append(intro).append("\n\n").append(table);
  }
}

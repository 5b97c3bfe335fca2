// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The measured costs, as people read them: a table of {@code docs/performance.md} is the one place
 * where they stand.
 *
 * @param machine on which they were measured
 */
record CostTable(String machine, Map<Cost, Double> values) {
  static final String PAGE = "docs/performance.md";

  private static final String HEADING = "## What things cost";
  private static final String MACHINE = "Measured on ";
  private static final Pattern ROW =
      Pattern.compile("\\| `([^`]*)` \\| ([^|]*) \\| ([^|]*) \\| ([^|]*) \\|.*");

  /** Reads the table of the page below this folder. */
  static CostTable read(Path home) {
    Path page = home.resolve(PAGE);
    try {
      return parse(Files.readAllLines(page, UTF_8), page.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(
          page + ": the costs stand there, and it cannot be read; set Flowstone up anew", e);
    }
  }

  static CostTable parse(List<String> page, String place) {
    int begin = page.indexOf(HEADING);
    if (begin < 0) {
      throw new IllegalStateException(place + ": no section \"" + HEADING + "\"");
    }
    Map<Cost, Double> values = new EnumMap<>(Cost.class);
    Optional<String> machine = Optional.empty();
    for (int i = begin + 1; i < page.size() && !page.get(i).startsWith("## "); i++) {
      String line = page.get(i);
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        put(values, row, place + ":" + (i + 1));
      } else if (line.startsWith(MACHINE)) {
        machine = Optional.of(line.substring(MACHINE.length()).replaceFirst("[.:]$", ""));
      }
    }
    requireAll(values, place);
    return new CostTable(
        machine.orElseThrow(
            () -> new IllegalStateException(place + ": no line \"" + MACHINE + "...\"")),
        values);
  }

  private static void put(Map<Cost, Double> values, Matcher row, String place) {
    Cost cost =
        Stream.of(Cost.values())
            .filter(each -> each.key().equals(row.group(1)))
            .findAny()
            .orElseThrow(
                () -> new IllegalStateException(place + ": nobody asks for " + row.group(1)));
    if (!row.group(4).split(" ", 2)[0].equals(cost.measure().toString())) {
      throw new IllegalStateException(
          place + ": " + cost.key() + " is in " + cost.measure() + ", not in " + row.group(4));
    }
    if (values.put(cost, number(row.group(3), place)) != null) {
      throw new IllegalStateException(place + ": " + cost.key() + " stands there twice");
    }
  }

  private static double number(String text, String place) {
    try {
      double value = Double.parseDouble(text.replace(",", ""));
      if (value > 0 && value < Double.MAX_VALUE) {
        return value;
      }
    } catch (NumberFormatException e) {
      // Said below, with the place.
    }
    throw new IllegalStateException(place + ": not a number above zero: " + text);
  }

  private static void requireAll(Map<Cost, Double> values, String place) {
    List<String> missing =
        Stream.of(Cost.values()).filter(cost -> !values.containsKey(cost)).map(Cost::key).toList();
    if (!missing.isEmpty()) {
      throw new IllegalStateException(place + ": no row for " + String.join(", ", missing));
    }
  }

  double of(Cost cost) {
    return values.get(cost);
  }

  /** As a machine would have them whose cores are so many times as fast. */
  CostTable faster(double times) {
    CostTable table = this;
    for (Cost cost : Cost.values()) {
      if (cost.measure().isProcessorTime()) {
        table = table.with(cost, value -> value / times);
      }
    }
    return table;
  }

  CostTable with(Cost cost, UnaryOperator<Double> change) {
    Map<Cost, Double> changed = new EnumMap<>(values);
    changed.compute(cost, (_, value) -> change.apply(value));
    return new CostTable(machine, changed);
  }
}

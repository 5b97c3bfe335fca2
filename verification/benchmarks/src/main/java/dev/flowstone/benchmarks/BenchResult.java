// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a benchmark found: one line of JSON.
 *
 * @param unit base units, such as packets/s; of figure, runs and baseline
 * @param better whether more or less is better
 * @param runs the figure's windows; the figure is their median
 * @param baselineRuns the baseline's, likewise
 * @param further keys that only this benchmark has
 */
record BenchResult(
    String name,
    String unit,
    Better better,
    Windows runs,
    Windows baselineRuns,
    String baselineName,
    Map<String, Object> further) {

  enum Better {
    MORE,
    LESS
  }

  /** For results of one benchmark. */
  static final Comparator<BenchResult> WORST_FIRST =
      Comparator.comparingDouble(
          result -> result.better == Better.MORE ? result.figure() : -result.figure());

  /** Key of what traffic it was. */
  static final String MIX = "mix";

  private static final String FIGURE = "figure";
  private static final int DIGITS = 4;

  double figure() {
    return runs.median();
  }

  private double baseline() {
    return baselineRuns.median();
  }

  /** How many times better than the baseline. */
  double ratio() {
    return better == Better.MORE ? figure() / baseline() : baseline() / figure();
  }

  /** The same with one more key. */
  BenchResult with(String key, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(further);
    more.put(key, value);
    return new BenchResult(name, unit, better, runs, baselineRuns, baselineName, more);
  }

  /** How the keys of further figures end, of those that are worse in the other. */
  List<String> furtherFiguresWorseIn(BenchResult other) {
    return further.keySet().stream()
        .filter(key -> key.startsWith(FIGURE + "_"))
        .filter(key -> isWorse((Double) other.further.get(key), (Double) further.get(key)))
        .map(key -> key.substring(FIGURE.length()))
        .toList();
  }

  private boolean isWorse(double one, double than) {
    return better == Better.MORE ? one < than : one > than;
  }

  /** The same with the other's keys of these endings, and a key for each that says of which mix. */
  BenchResult withFigures(List<String> endings, BenchResult other) {
    BenchResult both = this;
    for (String ending : endings) {
      for (Map.Entry<String, Object> each : other.further.entrySet()) {
        both = each.getKey().endsWith(ending) ? both.with(each.getKey(), each.getValue()) : both;
      }
      both = both.with(MIX + ending, other.further.get(MIX));
    }
    return both;
  }

  /** What is not the same for every mix of traffic. */
  Map<String, Object> ofThisMix() {
    Map<String, Object> keys = new LinkedHashMap<>();
    keys.put(FIGURE, figure());
    keys.put("range", runs.range());
    keys.put("runs", runs.values());
    keys.put("baseline", baseline());
    keys.put("baseline_range", baselineRuns.range());
    keys.put("ratio", ratio());
    keys.putAll(further);
    return keys;
  }

  String toJson() {
    Map<String, Object> keys = new LinkedHashMap<>();
    keys.put("name", name);
    keys.put("unit", unit);
    keys.put("baseline_name", baselineName);
    keys.put("machine", Machine.describe());
    keys.putAll(ofThisMix());
    try {
      return new ObjectMapper().writeValueAsString(rounded(keys));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("benchmark " + name + ": no JSON for " + keys, e);
    }
  }

  private static Object rounded(Object value) {
    return switch (value) {
      case Double number -> rounded(number.doubleValue());
      case List<?> list -> list.stream().map(BenchResult::rounded).toList();
      case Map<?, ?> map -> {
        Map<Object, Object> all = new LinkedHashMap<>(map);
        all.replaceAll((key, each) -> rounded(each));
        yield all;
      }
      default -> value;
    };
  }

  /** To four significant digits, which is more than any of these measurements has. */
  private static Number rounded(double number) {
    if (number == 0 || !Double.isFinite(number)) {
      return number;
    }
    double scale = Math.pow(10, Math.floor(Math.log10(Math.abs(number))) + 1 - DIGITS);
    double rounded = Math.round(number / scale) * scale;
    return Math.abs(rounded) >= 10_000 ? (Number) Math.round(rounded) : tidy(rounded);
  }

  /** Without the dust of binary fractions. */
  private static double tidy(double number) {
    return Double.parseDouble(String.format(Locale.ROOT, "%.6g", number));
  }
}

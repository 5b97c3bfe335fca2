// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
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
 * @param further keys that only this benchmark has
 */
record BenchResult(
    String name,
    String unit,
    Better better,
    Windows runs,
    double baseline,
    String baselineName,
    Map<String, Object> further) {

  enum Better {
    MORE,
    LESS
  }

  private static final int DIGITS = 4;

  double figure() {
    return runs.median();
  }

  /** How many times better than the baseline. */
  double ratio() {
    return better == Better.MORE ? figure() / baseline : baseline / figure();
  }

  String toJson() {
    Map<String, Object> keys = new LinkedHashMap<>();
    keys.put("name", name);
    keys.put("figure", figure());
    keys.put("unit", unit);
    keys.put("baseline", baseline);
    keys.put("baseline_name", baselineName);
    keys.put("ratio", ratio());
    keys.put("runs", runs.values());
    keys.put("spread", runs.spread());
    keys.put("machine", Machine.describe());
    keys.putAll(further);
    keys.replaceAll((key, value) -> rounded(value));
    try {
      return new ObjectMapper().writeValueAsString(keys);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("benchmark " + name + ": no JSON for " + keys, e);
    }
  }

  private static Object rounded(Object value) {
    return switch (value) {
      case Double number -> rounded(number.doubleValue());
      case List<?> list -> list.stream().map(BenchResult::rounded).toList();
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

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.functions;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Histograms of a job, some with values above their highest, and what their results say of them.
 */
class HistogramsOfResultsTest {
  private static final Path RESULTS = Path.of("../../notebooks/tests/histograms.json");
  private static final Map<String, Double> PARTS =
      Map.of("p50", 0.5, "p90", 0.9, "p99", 0.99, "p99_9", 0.999);

  private final HistogramCount count = new HistogramCount();
  private final HistogramQuantile quantile = new HistogramQuantile();

  static JsonNode results() throws IOException {
    JsonNode results = new ObjectMapper().readTree(RESULTS.toFile());
    assertThat(results).hasSize(5);
    return results;
  }

  @ParameterizedTest
  @MethodSource("results")
  void shouldSayWhatTheResultSays(JsonNode result) {
    String histogram = result.get("histogram").asText();
    long overflow = result.get("overflow").asLong();
    long greatest = result.get("max").asLong();
    assertThat(count.eval(histogram, overflow)).isEqualTo(result.get("count").asLong());
    PARTS.forEach(
        (name, part) ->
            assertThat(quantile.eval(histogram, part, overflow, greatest))
                .as(name)
                .isEqualTo(result.get(name).asLong()));
  }

  /** Quantiles as a decoder in Python found them that knows the text's format alone. */
  @Test
  void shouldSayOfAllTogetherWhatTheySayTogether() throws Exception {
    HistogramMerge merge = new HistogramMerge();
    HistogramMerge.Merged merged = merge.createAccumulator();
    long measured = 0;
    long overflow = 0;
    long greatest = 0;
    for (JsonNode result : results()) {
      merge.accumulate(merged, result.get("histogram").asText());
      measured += result.get("count").asLong();
      overflow += result.get("overflow").asLong();
      greatest = Math.max(greatest, result.get("max").asLong());
    }
    String all = merge.getValue(merged);
    assertThat(count.eval(all, overflow)).isEqualTo(measured).isEqualTo(41_542);
    assertThat(quantile.eval(all, 0.5, overflow, greatest)).isEqualTo(24_575);
    assertThat(quantile.eval(all, 0.9, overflow, greatest)).isEqualTo(83_886_079);
    assertThat(quantile.eval(all, 0.98, overflow, greatest)).isEqualTo(838_860_799);
    assertThat(quantile.eval(all, 0.99, overflow, greatest)).isEqualTo(1_996_781_968);
  }

  @Test
  void shouldSayOfATextAloneWhatIsInIt() throws Exception {
    String histogram = results().get(2).get("histogram").asText();
    assertThat(count.eval(histogram)).isEqualTo(10_161);
    assertThat(quantile.eval(histogram, 0.99)).isEqualTo(771_751_935);
  }
}

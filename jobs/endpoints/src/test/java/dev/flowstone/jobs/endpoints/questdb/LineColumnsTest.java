// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.results.LineResult;
import dev.flowstone.results.Result;
import dev.flowstone.results.ResultFields;
import dev.flowstone.results.RuleTag;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LineColumnsTest {

  private record Told(Consumer<ResultFields> fields) implements Result {
    @Override
    public String kind() {
      return "told";
    }

    @Override
    public RuleTag rule() {
      return RuleTag.of("a rule, \"quoted\"=\\");
    }

    @Override
    public long timeNs() {
      return 1_700_000_000_000_000_001L;
    }

    @Override
    public void describe(ResultFields to) {
      fields.accept(to);
    }
  }

  private static String line(Consumer<ResultFields> fields) {
    return LineResult.of(new Told(fields), "a job=1,2").line();
  }

  private static Map<String, String> columnsOf(String... lines) {
    return LineColumns.of(new LineChunk("told", String.join("", lines).getBytes(UTF_8)));
  }

  @Test
  void shouldTellNamesAndTypesWhateverValuesHaveInThem() {
    String awkward = "x, y=\"z\" \\ \n,w=5i \r\u00fc";
    String line =
        line(
            fields -> {
              fields.key("key", awkward);
              fields.text("text", awkward);
              fields.number("count", -5);
              fields.number("mean", 1e-9);
              fields.number("not_finite", Double.NaN);
              fields.text("empty", "");
            });
    assertThat(columnsOf(line))
        .containsExactly(
            Map.entry("key", "SYMBOL"),
            Map.entry("job", "SYMBOL"),
            Map.entry("text", "VARCHAR"),
            Map.entry("count", "LONG"),
            Map.entry("mean", "DOUBLE"),
            Map.entry("empty", "VARCHAR"));
  }

  @Test
  void shouldTellTheColumnsOfAllLines() {
    assertThat(
            columnsOf(
                line(fields -> fields.number("one", 1)),
                "told,rule=r 1700000000000000001\n",
                line(fields -> fields.text("other", "\n"))))
        .containsExactly(
            Map.entry("job", "SYMBOL"), Map.entry("one", "LONG"), Map.entry("other", "VARCHAR"));
  }

  @Test
  void shouldTellOfNoMoreThanAStatementMayHold() {
    String line = line(fields -> IntStream.range(0, 1_000).forEach(i -> fields.number("n" + i, i)));
    assertThat(columnsOf(line, line)).hasSizeBetween(190, LineColumns.MOST_COLUMNS);
  }

  @Test
  void shouldTellOfNoneWhereThereAreNoLines() {
    assertThat(columnsOf()).isEmpty();
  }
}

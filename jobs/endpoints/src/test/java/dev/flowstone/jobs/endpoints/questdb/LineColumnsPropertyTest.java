// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.results.LineResult;
import dev.flowstone.results.Result;
import dev.flowstone.results.ResultFields;
import dev.flowstone.results.RuleTag;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** Whatever results have in them, their columns are those that they were told. */
class LineColumnsPropertyTest {

  enum Type {
    SYMBOL,
    LONG,
    DOUBLE,
    VARCHAR
  }

  record Field(Type type, String text, double number) {}

  /**
   * @param fields as many as there are, each with its place for a name
   */
  record Told(String ruleName, List<Field> fields, long timeNs) implements Result {
    @Override
    public String kind() {
      return "told";
    }

    @Override
    public RuleTag rule() {
      return RuleTag.of(ruleName);
    }

    @Override
    public void describe(ResultFields to) {
      for (int place = 0; place < fields.size(); place++) {
        Field field = fields.get(place);
        String name = name(place, field);
        switch (field.type) {
          case SYMBOL -> to.key(name, field.text);
          case LONG -> to.number(name, (long) field.number);
          case DOUBLE -> to.number(name, field.number);
          case VARCHAR -> to.text(name, field.text);
        }
      }
    }

    private static String name(int place, Field field) {
      return field.type.name().toLowerCase(Locale.ROOT) + place;
    }

    void expect(Map<String, String> columns) {
      for (int place = 0; place < fields.size(); place++) {
        Field field = fields.get(place);
        if (field.type != Type.DOUBLE || Double.isFinite(field.number)) {
          columns.put(name(place, field), field.type.name());
        }
      }
    }
  }

  @Property
  void shouldTellTheColumnsThatWereTold(@ForAll("results") List<Told> results) {
    StringBuilder lines = new StringBuilder();
    Map<String, String> expected = new TreeMap<>(Map.of("job", "SYMBOL"));
    for (Told told : results) {
      lines.append(LineResult.of(told, "a job").line());
      told.expect(expected);
    }
    LineChunk chunk = new LineChunk("told", lines.toString().getBytes(UTF_8));
    assertThat(new TreeMap<>(LineColumns.of(chunk))).isEqualTo(expected);
  }

  @Provide
  Arbitrary<List<Told>> results() {
    Arbitrary<String> texts =
        Arbitraries.frequencyOf(
                Tuple.of(3, Arbitraries.of(' ', ',', '=', '\\', '"', '\n', '\r', 'i')),
                Tuple.of(1, Arbitraries.chars().range('\u0001', '\ud7ff')))
            .list()
            .ofMaxSize(8)
            .map(LineColumnsPropertyTest::join);
    Arbitrary<Field> field =
        Combinators.combine(Arbitraries.of(Type.class), texts, Arbitraries.doubles())
            .as(Field::new);
    return Combinators.combine(
            texts, field.list().ofMaxSize(6), Arbitraries.longs().greaterOrEqual(0))
        .as(Told::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(8);
  }

  private static String join(List<Character> characters) {
    StringBuilder text = new StringBuilder();
    characters.forEach(text::append);
    return text.toString();
  }
}

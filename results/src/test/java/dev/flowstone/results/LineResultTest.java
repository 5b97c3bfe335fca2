// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.results;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class LineResultTest {
  private record Told(RuleTag rule, Consumer<ResultFields> fields) implements Result {
    @Override
    public String kind() {
      return "told";
    }

    @Override
    public long timeNs() {
      return 1_700_000_000_123_456_789L;
    }

    @Override
    public void describe(ResultFields to) {
      fields.accept(to);
    }
  }

  private static LineResult line(Consumer<ResultFields> fields) {
    return LineResult.of(new Told(RuleTag.of("web"), fields), "mine");
  }

  @Test
  void shouldWriteKeysAsSymbolsAndTheRestWithItsType() {
    LineResult line =
        LineResult.of(
            new Told(
                new RuleTag("web", "alerts", 17),
                fields -> {
                  fields.number("count", 3);
                  fields.key("what", "a");
                  fields.number("share", 1.0);
                  fields.key("where", "here");
                  fields.text("text", "t");
                  fields.list("from", List.of("x"), (name, item) -> item.text("name", name));
                }),
            "mine");

    assertThat(line.table()).isEqualTo("told");
    assertThat(line.line())
        .isEqualTo(
            "told,rule=web,what=a,where=here,job=mine flow_id=17i,count=3i,share=1.0,text=\"t\","
                + "from=\"[{\\\"name\\\":\\\"x\\\"}]\",result_key=\"what=a,where=here,job=mine\""
                + " 1700000000123456789\n");
  }

  @Test
  void shouldLeaveOutWhatThereIsNot() {
    assertThat(
            line(fields -> {
                  fields.number("nan", Double.NaN);
                  fields.number("infinite", Double.NEGATIVE_INFINITY);
                })
                .line())
        .isEqualTo("told,rule=web,job=mine result_key=\"job=mine\" 1700000000123456789\n");
  }

  @Test
  void shouldLeaveTheJobThatAResultTellsOf() {
    assertThat(line(fields -> fields.key("job", "other")).line())
        .startsWith("told,rule=web,job=other result_key=\"job=other\" ");
  }

  @Test
  void shouldTellKeysApartThatReadAlike() {
    assertThat(line(fields -> fields.key("a", "1,b=2")).line())
        .contains("result_key=\"a=1\\\\,b\\\\=2,job=mine\"");
  }

  @Test
  void shouldEscapeWhatTheProtocolGivesAMeaning() {
    assertThat(line(fields -> fields.key("a", "\\ ,=\"\n")).line())
        .startsWith("told,rule=web,a=\\\\\\ \\,\\=\"\\\n,job=mine ");
    assertThat(line(fields -> fields.text("a", "\\ ,=\"\n")).line())
        .startsWith("told,rule=web,job=mine a=\"\\\\ ,=\\\"\\\n\",");
  }

  @Test
  void shouldRefuseWhatAStoreWouldPassOver() {
    assertThatThrownBy(
            () ->
                line(
                    fields -> {
                      fields.number("count", 1);
                      fields.text("count", "2");
                    }))
        .hasMessageContaining("results of kind told have two fields count");
    assertThatThrownBy(() -> line(fields -> fields.text("job", "2")))
        .hasMessage("results of kind told have a field job that is no key");
    assertThatThrownBy(() -> line(fields -> fields.number("job", 2)))
        .hasMessageContaining("that is no key");
    assertThatThrownBy(() -> line(fields -> fields.text("time", "2")))
        .hasMessageContaining("two fields time");
    assertThatThrownBy(() -> line(fields -> fields.text("Count", "2")))
        .hasMessageContaining("Count is not a name in snake_case");
    // Also of what is left out: a table has the field where it is a number.
    assertThatThrownBy(
            () ->
                line(
                    fields -> {
                      fields.number("share", Double.NaN);
                      fields.number("share", 1.0);
                    }))
        .hasMessageContaining("two fields share");
  }
}

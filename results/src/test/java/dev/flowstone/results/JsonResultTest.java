// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.results;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class JsonResultTest {
  private record Seen(RuleTag rule, String what, long count, double share, List<String> from)
      implements Result {
    @Override
    public String kind() {
      return "seen";
    }

    @Override
    public long timeNs() {
      return 1_700_000_000_123_456_789L;
    }

    @Override
    public void describe(ResultFields fields) {
      fields.key("what", what);
      fields.key("where", "here");
      fields.key("port", 443);
      fields.number("count", count);
      fields.number("share", share);
      fields.list("from", from, (name, item) -> item.text("name", name));
    }
  }

  @Test
  void shouldWriteAllFieldsInTheirOrder() {
    Seen result = new Seen(new RuleTag("web", "alerts", 17), "a", 3, 0.5, List.of("x", "y"));

    assertThat(JsonResult.of(result))
        .isEqualTo(
            "{\"kind\":\"seen\",\"time_ns\":1700000000123456789,\"rule\":\"web\",\"flow_id\":17,"
                + "\"what\":\"a\",\"where\":\"here\",\"port\":443,\"count\":3,\"share\":0.5,"
                + "\"from\":[{\"name\":\"x\"},{\"name\":\"y\"}]}");
  }

  @Test
  void shouldLeaveOutWhatThereIsNot() {
    Seen result = new Seen(RuleTag.of("web"), "quote\" and é", 0, Double.NaN, List.of());

    assertThat(JsonResult.of(result))
        .doesNotContain("flow_id")
        .contains("\"what\":\"quote\\\" and é\"", "\"share\":null", "\"from\":[]");
  }

  @Test
  void shouldNameTheSubjectByRuleAndKeys() {
    Seen result = new Seen(RuleTag.of("web"), "a", 3, 0.5, List.of("x"));

    assertThat(ResultKey.of(result)).isEqualTo("web a here 443");
  }
}

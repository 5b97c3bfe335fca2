// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.user;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import dev.flowstone.results.JsonResult;
import dev.flowstone.results.Result;
import dev.flowstone.results.ResultFields;
import dev.flowstone.results.RuleTag;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the published schema says of results whose kinds it cannot know. */
class UserResultFormTest {
  private static final JsonSchema SCHEMA =
      JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012).getSchema(JsonResult.schema());

  private static Set<ValidationMessage> faults(String json) throws Exception {
    return SCHEMA.validate(new ObjectMapper().readTree(json));
  }

  /** Whatever a function can write. */
  private record Seen(RuleTag rule, long timeNs) implements Result {
    @Override
    public String kind() {
      return "seen";
    }

    @Override
    public void describe(ResultFields fields) {
      fields.key("server", "192.0.2.1");
      fields.key("port", 443);
      fields.key("client", null);
      fields.number("packets", -3);
      fields.number("share", 0.5);
      fields.number("mean", Double.NaN);
      fields.text("text", "any");
      fields.list("none", List.<String>of(), (name, item) -> item.text("name", name));
      fields.list(
          "hosts",
          List.of("a", "b"),
          (name, item) -> {
            item.text("name", name);
            item.list("ports", List.of(80L), (port, inner) -> inner.number("port", port));
          });
    }
  }

  @Test
  void shouldTakeAnyFieldOfAUsersKind() throws Exception {
    for (RuleTag rule : List.of(RuleTag.of("web"), new RuleTag("web", "topic", 7))) {
      String json = JsonResult.of(new Seen(rule, 1_700_000_000_000_000_000L));
      assertThat(faults(json)).as(json).isEmpty();
    }
  }

  private static Stream<String> kindsWithAForm() {
    return StreamSupport.stream(SCHEMA.getSchemaNode().get("$defs").spliterator(), false)
        .map(form -> form.path("properties").path("kind").path("const"))
        .filter(JsonNode::isTextual)
        .map(JsonNode::asText);
  }

  /** Or whoever misspells a field of it would be told that all is well. */
  @ParameterizedTest
  @MethodSource("kindsWithAForm")
  void shouldNotTakeABrokenKindForAUsers(String kind) throws Exception {
    String json = "{\"kind\":\"" + kind + "\",\"time_ns\":1,\"rule\":\"web\",\"packets\":\"3\"}";
    assertThat(faults(json)).as(json).isNotEmpty();
    assertThatThrownBy(() -> AllowedKind.require(kind)).hasMessageContaining(kind);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"kind\":\"seen\",\"rule\":\"web\"}",
        "{\"kind\":\"seen\",\"time_ns\":1}",
        "{\"kind\":\"seen\",\"time_ns\":\"1\",\"rule\":\"web\"}",
        "{\"kind\":\"seen\",\"time_ns\":1,\"rule\":\"*\"}",
        "{\"kind\":\"seen\",\"time_ns\":1,\"rule\":\"web\",\"flow_id\":-1}",
        "{\"kind\":\"seen\",\"time_ns\":1,\"rule\":\"web\",\"open\":true}",
        "{\"kind\":\"seen\",\"time_ns\":1,\"rule\":\"web\",\"host\":{\"name\":\"a\"}}",
        "{\"kind\":\"seen\",\"time_ns\":1,\"rule\":\"web\",\"hosts\":[\"a\"]}",
        "{\"kind\":\"seen\",\"time_ns\":1,\"rule\":\"web\",\"hosts\":[{\"name\":{}}]}",
        "{\"kind\":\"My Kind\",\"time_ns\":1,\"rule\":\"web\"}",
        "{\"kind\":7,\"time_ns\":1,\"rule\":\"web\"}",
        "{\"time_ns\":1,\"rule\":\"web\"}"
      })
  void shouldNotTakeWhatNoFunctionCanTell(String json) throws Exception {
    assertThat(faults(json)).as(json).isNotEmpty();
  }
}

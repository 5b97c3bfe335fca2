// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.results.JsonResult;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KnownColumnsTest {
  private static final Set<String> COLUMNS_OF_EACH_TABLE =
      Set.of("kind", "time", "time_ns", "cast(time AS LONG)", "rule");

  private static JsonNode definitions() throws IOException {
    return new ObjectMapper().readTree(JsonResult.schema()).path("$defs");
  }

  /** And whatever a query may name of what the schema leaves open: counters of stages. */
  @ParameterizedTest
  @ValueSource(strings = {"alert", "flow_record", "histogram", "stage", "syn_window"})
  void shouldHaveEachFieldOfTheSchema(String kind) throws IOException {
    JsonNode definitions = definitions();
    Map<String, String> wanted = new TreeMap<>(Map.of("job", "VARCHAR"));
    definitions
        .path(kind)
        .path("properties")
        .properties()
        .forEach(field -> wanted.put(field.getKey(), type(field.getValue(), definitions)));
    AskedColumns.of(kind).forEach(asked -> wanted.putIfAbsent(asked.replace("\"", ""), "LONG"));
    wanted.keySet().removeAll(COLUMNS_OF_EACH_TABLE);

    Map<String, String> found = new TreeMap<>();
    KnownColumns.of(kind)
        .forEach(
            (column, columnType) ->
                found.put(
                    column,
                    columnType.equals("SYMBOL")
                        ? wanted.getOrDefault(column, "no field")
                        : columnType));
    assertThat(found).isEqualTo(wanted);
  }

  private static String type(JsonNode field, JsonNode definitions) {
    JsonNode type = field.path("type");
    if (field.has("$ref")) {
      return type(
          definitions.path(field.path("$ref").asText().substring("#/$defs/".length())),
          definitions);
    }
    String name = type.isArray() ? type.get(0).asText() : type.asText("string");
    return switch (name) {
      case "integer" -> "LONG";
      case "number" -> "DOUBLE";
      default -> "VARCHAR";
    };
  }

  @Test
  void shouldLeaveUsersKindsToTheirLines() {
    assertThat(KnownColumns.of("burst")).isEmpty();
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.yaml;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import dev.flowstone.rules.RandomRules;
import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.RulesFileException;
import dev.flowstone.rules.TextFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/** The schema and the reader take the same files, but for what only the reader can know. */
class RulesSchemaTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final JsonSchema SCHEMA =
      JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
          .getSchema(RulesYaml.class.getResourceAsStream("/dev/flowstone/rules/rules.schema.json"));

  /** Parts of the reader's refusals for which a schema has no words. */
  private static final List<String> BEYOND_SCHEMAS =
      List.of(
          "has bits beyond its mask",
          "not an address",
          "a prefix of IPv",
          "one IP version",
          "can never match",
          "stands twice",
          "must be 0 to 255: ",
          "must be 0 to 65535",
          "not a protocol",
          "a rule named",
          "at least twice that",
          "are for per",
          "is for by: random",
          "is for syn_flood",
          "must be 1 to 60 times slide",
          "must be 1ms to 7d",
          "at most 7d",
          "different address masks");

  private static JsonNode json(String yaml) {
    LoadSettings settings = LoadSettings.builder().setSchema(new CoreSchema()).build();
    return JSON.valueToTree(new Load(settings).loadFromString(yaml));
  }

  private static boolean schemaTakes(JsonNode file) {
    return SCHEMA.validate(file).isEmpty();
  }

  @Test
  void shouldTakeTheExample() throws IOException {
    JsonNode example =
        json(new String(TextFile.read(Path.of("../flink-conf/rules.example.yaml")), UTF_8));

    assertThat(SCHEMA.validate(example)).isEmpty();
  }

  /** So that the example shows all there is. */
  @Test
  void shouldHaveEveryKeyOfTheSchemaInTheExample() throws IOException {
    String example = new String(TextFile.read(Path.of("../flink-conf/rules.example.yaml")), UTF_8);
    List<String> missing = new ArrayList<>();
    JSON.readTree(RulesYaml.class.getResourceAsStream("/dev/flowstone/rules/rules.schema.json"))
        .findValues("properties")
        .forEach(keys -> keys.fieldNames().forEachRemaining(missing::add));
    missing.removeIf(key -> example.contains(key + ":"));

    assertThat(missing).isEmpty();
  }

  @Property(tries = 60)
  void shouldTakeWhatTheReaderTakes(@ForAll long seed) {
    RuleSet rules = new RandomRules(seed).set(8);

    assertThat(SCHEMA.validate(json(RulesYaml.write(rules)))).isEmpty();
  }

  /** A file with something else in one place: both refuse it, or both take it. */
  @Property(tries = 800)
  void shouldRefuseWhatTheReaderRefuses(@ForAll long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    JsonNode file = json(RulesYaml.write(new RandomRules(seed).set(4)));
    new Mutation(random).apply(file);
    String text = JSON.writeValueAsString(file);
    try {
      RulesYaml.read(text.getBytes(UTF_8), "mutated");
      assertThat(SCHEMA.validate(file)).as(text).isEmpty();
    } catch (RulesFileException e) {
      assertThat(!schemaTakes(file) || isBeyondSchemas(e))
          .as(text + "\n" + e.getMessage())
          .isTrue();
    }
  }

  private static boolean isBeyondSchemas(RulesFileException e) {
    return e.problems().stream()
        .allMatch(problem -> BEYOND_SCHEMAS.stream().anyMatch(problem.text()::contains));
  }

  /** One change at a random place of a document. */
  private record Mutation(SplittableRandom random) {
    private static final String[] VALUES = {
      "null",
      "true",
      "0",
      "1",
      "-1",
      "255",
      "256",
      "65536",
      "1.5",
      "99999999999999999999",
      "[]",
      "{}",
      "\"\"",
      "\"x\"",
      "\"tcp\"",
      "\"80-90\"",
      "\"0x10/0xff\"",
      "\"5s\"",
      "\"5\"",
      "\"10.0.0.0/8\"",
      "\"2001:db8::1\"",
      "\"drop\"",
      "\"default\"",
      "\"syn and not ack\"",
      "[80]",
      "[\"packet_size\"]",
      "{\"pass\": {}}",
      "{\"x\": \"y\"}",
      "\"a b\"",
      "\"0x100\"",
      "\"443/0x1ff\""
    };

    void apply(JsonNode file) throws IOException {
      List<JsonNode> places = new ArrayList<>();
      collect(file, places);
      JsonNode place = places.get(random.nextInt(places.size()));
      JsonNode value = JSON.readTree(VALUES[random.nextInt(VALUES.length)]);
      switch (place) {
        case ObjectNode object -> change(object, value);
        case ArrayNode array when random.nextBoolean() || array.isEmpty() -> array.add(value);
        case ArrayNode array -> array.set(random.nextInt(array.size()), value);
        default -> throw new IllegalStateException("no place: " + place);
      }
    }

    private void change(ObjectNode object, JsonNode value) {
      List<String> names = new ArrayList<>();
      object.fieldNames().forEachRemaining(names::add);
      if (names.isEmpty() || random.nextInt(8) == 0) {
        object.set("another", value);
        return;
      }
      String name = names.get(random.nextInt(names.size()));
      if (random.nextInt(6) == 0) {
        object.remove(name);
      } else {
        object.set(name, value);
      }
    }

    private static void collect(JsonNode node, List<JsonNode> places) {
      if (node.isContainerNode()) {
        places.add(node);
        node.forEach(each -> collect(each, places));
      }
    }
  }
}

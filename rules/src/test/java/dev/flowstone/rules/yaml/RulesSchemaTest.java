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
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
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
          "different address masks",
          "a threshold's prefix has no other mask",
          "has the prefix",
          "two detectors of one rule",
          "never sees what it counts",
          "least_completed_percent needs",
          ", must not be longer than active_timeout",
          "; name another for one of them");

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
    Set<String> known = new TreeSet<>();
    addKeysOfSchema(
        JSON.readTree(
            RulesYaml.class.getResourceAsStream("/dev/flowstone/rules/rules.schema.json")),
        known);
    Set<String> shown = new TreeSet<>();
    addKeys(
        json(new String(TextFile.read(Path.of("../flink-conf/rules.example.yaml")), UTF_8)), shown);

    assertThat(known).contains("rules", "times", "prefix", "class");
    assertThat(shown).containsAll(known);
  }

  /** Of all properties, and of those within these. */
  private static void addKeysOfSchema(JsonNode schema, Set<String> keys) {
    schema.path("properties").fieldNames().forEachRemaining(keys::add);
    schema.forEach(each -> addKeysOfSchema(each, keys));
  }

  private static void addKeys(JsonNode node, Set<String> keys) {
    node.fieldNames().forEachRemaining(keys::add);
    node.forEach(each -> addKeys(each, keys));
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

  /** In YAML alone there are more ways to write a number. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "priority: 0x10",
        "priority: 0o17",
        "priority: 007",
        "priority: +5",
        "priority: 1.0",
        "priority: 1e3",
        "priority: 1.5",
        "priority: 1e-3",
        "priority: 1e999999999",
        "priority: .inf",
        "priority: '5'",
        "match: {ip: 0x4}",
        "match: {ip: 06}",
        "match: {ip: 4.0}",
        "match: {ip: 5.0}",
        "match: {ip: '4'}",
        "match: {ip: none}",
        "match: {ingress_port: 1.0}",
        "match: {protocol: 6.0}",
        "match: {protocol: 0o6}",
        "match: {protocol: 6.5}",
        "match: {source_port: [80.0, 0x50]}",
      })
  void shouldTakeTheNumbersThatTheReaderTakes(String key) {
    String text = "rules: [{name: a, function: drop, " + key + "}]";
    assertThat(schemaTakes(json(text))).isEqualTo(readerTakes(text));
  }

  private static boolean readerTakes(String text) {
    try {
      RulesYaml.read(text.getBytes(UTF_8), "numbers");
      return true;
    } catch (RulesFileException e) {
      return false;
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
      "1.0",
      "4.0",
      "1e3",
      "\"10.0.0.1/255.0.0.255\"",
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

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Turns one YAML document into a {@link Layout}. Unknown keys are errors, so a typing slip is never
 * silent.
 */
final class LayoutReader {
  private static final Set<String> LAYOUT_KEYS =
      Set.of(
          "layout",
          "title",
          "size_bytes",
          "byte_order",
          "summary",
          "registers",
          "versions",
          "languages",
          "constants",
          "fields",
          "enums",
          "example");
  private static final Set<String> FIELD_KEYS =
      Set.of("name", "offset", "type", "length", "layout", "count", "doc", "languages", "bits");

  private LayoutReader() {}

  static Layout layout(YamlMap document) {
    String name = document.snakeCase("layout");
    YamlMap yaml = document.at(document.place() + ": layout " + name);
    yaml.allowOnly(LAYOUT_KEYS);
    if (!yaml.string("byte_order").equals("little")) {
      throw yaml.error("byte_order must be little, found " + yaml.string("byte_order"));
    }
    Set<Language> languages = languages(yaml);
    return new Layout(
        name,
        yaml.string("title"),
        yaml.integer("size_bytes"),
        yaml.string("summary").strip(),
        yaml.truth("registers"),
        yaml.strings("versions").stream().map(text -> version(yaml, text)).toList(),
        languages,
        yaml.maps("constants").stream()
            .map(map -> constant(named(yaml, "constant", map), languages))
            .toList(),
        yaml.maps("fields").stream()
            .map(map -> field(named(yaml, "field", map), languages))
            .toList(),
        yaml.maps("enums").stream()
            .map(map -> enumeration(named(yaml, "enum", map), languages))
            .toList(),
        example(yaml));
  }

  private static YamlMap named(YamlMap parent, String what, YamlMap map) {
    return map.at(parent.place() + ": " + what + " " + map.snakeCase("name"));
  }

  private static VersionName version(YamlMap yaml, String text) {
    return VersionName.parse(text)
        .orElseThrow(
            () -> yaml.error("a version is layout.constant of a constant, found '" + text + "'"));
  }

  private static Set<Language> languages(YamlMap yaml) {
    return yaml.strings("languages").stream()
        .map(name -> language(yaml, name))
        .collect(Collectors.toSet());
  }

  private static Language language(YamlMap yaml, String name) {
    return Language.named(name)
        .orElseThrow(
            () ->
                yaml.error(
                    "unknown language '" + name + "'; known are c, java, python, systemverilog"));
  }

  /** Those that the entry names, some of its layout's; all of its layout's when it names none. */
  private static Set<Language> languages(YamlMap yaml, Set<Language> ofLayout) {
    if (!yaml.has("languages")) {
      return ofLayout;
    }
    Set<Language> languages = languages(yaml);
    if (!ofLayout.containsAll(languages)) {
      throw yaml.error("'languages' names one that the layout does not");
    }
    return languages;
  }

  private static Constant constant(YamlMap yaml, Set<Language> ofLayout) {
    yaml.allowOnly(Set.of("name", "type", "value", "doc", "languages"));
    String text = yaml.string("value");
    boolean hexadecimal = text.startsWith("0x");
    return new Constant(
        yaml.string("name"),
        scalar(yaml),
        number(yaml, text),
        hexadecimal,
        yaml.string("doc"),
        languages(yaml, ofLayout));
  }

  private static long number(YamlMap yaml, String text) {
    try {
      return text.startsWith("0x")
          ? Long.parseUnsignedLong(text.substring(2), 16)
          : Long.parseUnsignedLong(text);
    } catch (NumberFormatException e) {
      throw yaml.error(
          "value must be an unsigned number (\"12\" or \"0x0c\"), found '" + text + "'");
    }
  }

  private static ScalarType scalar(YamlMap yaml) {
    String type = yaml.string("type");
    return ScalarType.named(type)
        .orElseThrow(() -> yaml.error("unknown type '" + type + "'; known are u8, u16, u32, u64"));
  }

  private static Field field(YamlMap yaml, Set<Language> ofLayout) {
    yaml.allowOnly(FIELD_KEYS);
    return new Field(
        yaml.string("name"),
        yaml.integer("offset"),
        type(yaml),
        yaml.has("count") ? OptionalInt.of(yaml.integer("count")) : OptionalInt.empty(),
        yaml.string("doc"),
        fieldLanguages(yaml, ofLayout),
        yaml.maps("bits").stream().map(map -> bitRange(named(yaml, "bits", map))).toList());
  }

  /** Only a C struct needs its fillers. */
  private static Set<Language> fieldLanguages(YamlMap yaml, Set<Language> ofLayout) {
    Set<Language> languages = languages(yaml, ofLayout);
    if (ofLayout.contains(Language.C) && !languages.contains(Language.C)) {
      throw yaml.error("a C struct has all fields: 'languages' must name c");
    }
    return Field.isFiller(yaml.string("name"))
        ? languages.stream().filter(Language.C::equals).collect(Collectors.toSet())
        : languages;
  }

  private static FieldType type(YamlMap yaml) {
    String type = yaml.string("type");
    requireOnlyFor(yaml, type, "length", "bytes");
    requireOnlyFor(yaml, type, "layout", "struct");
    return switch (type) {
      case "bytes" -> new FieldType.Bytes(yaml.integer("length"));
      case "struct" -> new FieldType.Struct(yaml.snakeCase("layout"));
      default ->
          new FieldType.Scalar(
              ScalarType.named(type)
                  .orElseThrow(
                      () ->
                          yaml.error(
                              "unknown type '"
                                  + type
                                  + "'; known are u8, u16, u32, u64, bytes, struct")));
    };
  }

  private static void requireOnlyFor(YamlMap yaml, String type, String key, String onlyType) {
    if (yaml.has(key) && !type.equals(onlyType)) {
      throw yaml.error("'" + key + "' belongs to type " + onlyType + ", found type " + type);
    }
  }

  private static BitRange bitRange(YamlMap yaml) {
    yaml.allowOnly(Set.of("name", "high", "low", "doc"));
    return new BitRange(
        yaml.string("name"), yaml.integer("high"), yaml.integer("low"), yaml.string("doc"));
  }

  private static Enumeration enumeration(YamlMap yaml, Set<Language> ofLayout) {
    yaml.allowOnly(Set.of("name", "doc", "flags", "named", "languages", "values"));
    return new Enumeration(
        yaml.string("name"),
        yaml.string("doc"),
        yaml.truth("flags"),
        yaml.truth("named"),
        languages(yaml, ofLayout),
        yaml.maps("values").stream().map(map -> enumValue(named(yaml, "value", map))).toList());
  }

  private static Enumeration.Value enumValue(YamlMap yaml) {
    yaml.allowOnly(Set.of("name", "value", "doc"));
    return new Enumeration.Value(yaml.string("name"), yaml.integer("value"), yaml.string("doc"));
  }

  private static Optional<Example> example(YamlMap layout) {
    if (!layout.has("example")) {
      return Optional.empty();
    }
    YamlMap yaml = YamlMap.of(layout.place() + ": example", layout.value("example"));
    yaml.allowOnly(Set.of("title", "values"));
    return Optional.of(
        new Example(yaml.string("title"), stringKeys(yaml.place(), yaml.value("values"))));
  }

  /** YAML reads the key of {@code 3: x} as a number; an example's keys are all text. */
  static Map<String, Object> stringKeys(String place, Object value) {
    if (!(value instanceof Map<?, ?> map)) {
      throw new AbiException(place + ": expected a mapping, found " + value);
    }
    Map<String, Object> result = new LinkedHashMap<>();
    map.forEach((key, element) -> result.put(String.valueOf(key), element));
    return result;
  }
}

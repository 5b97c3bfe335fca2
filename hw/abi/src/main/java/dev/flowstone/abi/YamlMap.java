// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A YAML mapping that knows its place in the file, so that every complaint can name it. */
final class YamlMap {
  private final String place;
  private final Map<?, ?> entries;

  private YamlMap(String place, Map<?, ?> entries) {
    this.place = place;
    this.entries = entries;
  }

  static YamlMap of(String place, Object value) {
    if (value instanceof Map<?, ?> entries) {
      return new YamlMap(place, entries);
    }
    throw new AbiException(place + ": expected a mapping, found " + value);
  }

  /** The same mapping under a name that says more. */
  YamlMap at(String newPlace) {
    return new YamlMap(newPlace, entries);
  }

  String place() {
    return place;
  }

  void allowOnly(Set<String> keys) {
    for (Object key : entries.keySet()) {
      if (!(key instanceof String name && keys.contains(name))) {
        throw error("unknown key '" + key + "'; known are " + keys.stream().sorted().toList());
      }
    }
  }

  boolean has(String key) {
    return entries.containsKey(key);
  }

  String string(String key) {
    return optionalString(key).orElseThrow(() -> error("'" + key + "' is missing"));
  }

  Optional<String> optionalString(String key) {
    Object value = entries.get(key);
    if (value == null || value instanceof String) {
      return Optional.ofNullable((String) value);
    }
    throw error("'" + key + "' must be text, found " + value);
  }

  String snakeCase(String key) {
    String name = string(key);
    if (Names.isSnakeCase(name)) {
      return name;
    }
    throw error("'" + key + "' must be lower_case_words, found '" + name + "'");
  }

  int integer(String key) {
    if (entries.get(key) instanceof Integer value && value >= 0) {
      return value;
    }
    throw error("'" + key + "' must be a number from 0 to 2147483647, found " + entries.get(key));
  }

  List<YamlMap> maps(String key) {
    Object value = entries.get(key);
    if (value == null) {
      return List.of();
    }
    if (value instanceof List<?> list) {
      return list.stream().map(element -> of(place + ": " + key, element)).toList();
    }
    throw error("'" + key + "' must be a list, found " + value);
  }

  List<String> strings(String key) {
    if (entries.get(key) instanceof List<?> list) {
      return list.stream().map(String::valueOf).toList();
    }
    throw error("'" + key + "' must be a list, found " + entries.get(key));
  }

  /** False when the key is not there. */
  boolean truth(String key) {
    if (!has(key)) {
      return false;
    }
    if (entries.get(key) instanceof Boolean value) {
      return value;
    }
    throw error("'" + key + "' must be true or false, found " + entries.get(key));
  }

  Object value(String key) {
    return entries.get(key);
  }

  AbiException error(String problem) {
    return new AbiException(place + ": " + problem);
  }
}

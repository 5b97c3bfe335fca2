// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.yaml;

import dev.flowstone.commandline.ClosestName;
import dev.flowstone.rules.Place;
import dev.flowstone.rules.Problems;
import dev.flowstone.rules.yaml.YamlNode.Entry;
import dev.flowstone.rules.yaml.YamlNode.Kind;
import dev.flowstone.rules.yaml.YamlNode.Mapping;
import dev.flowstone.rules.yaml.YamlNode.Scalar;
import dev.flowstone.rules.yaml.YamlNode.Sequence;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A mapping while it is read. What is asked for is known; what was never asked for is unknown, and
 * told at the end. A value that is wrong is told and counts as left out, so that reading goes on.
 */
final class Section {
  private final Place place;
  private final String name;
  private final Problems problems;
  private final Map<String, Entry> entries = new LinkedHashMap<>();
  private final Set<String> known = new LinkedHashSet<>();

  private Section(Mapping mapping, String name, Problems problems) {
    this.place = mapping.place();
    this.name = name;
    this.problems = problems;
    for (Entry entry : mapping.entries()) {
      if (entries.putIfAbsent(entry.key().text(), entry) != null) {
        problems.add(entry.key().place(), name + " has the key " + shown(entry.key()) + " twice");
      }
    }
  }

  /** The node as a mapping, if it is one. */
  static Optional<Section> of(YamlNode node, String name, Problems problems) {
    if (node instanceof Mapping mapping) {
      return Optional.of(new Section(mapping, name, problems));
    }
    problems.add(node.place(), name + " must be a mapping: " + node.described());
    return Optional.empty();
  }

  Place place() {
    return place;
  }

  Problems problems() {
    return problems;
  }

  Optional<YamlNode> node(String key) {
    known.add(key);
    return Optional.ofNullable(entries.get(key)).map(Entry::value);
  }

  Optional<Section> section(String key) {
    return node(key).flatMap(node -> of(node, key, problems));
  }

  /** The items of a list. */
  Optional<List<YamlNode>> list(String key) {
    return node(key)
        .flatMap(
            node -> {
              if (node instanceof Sequence sequence) {
                return Optional.of(sequence.items());
              }
              return refused(node, key, "must be a list");
            });
  }

  Optional<String> text(String key) {
    return node(key).flatMap(node -> text(key, node));
  }

  /** What the text says; who reads it throws IllegalArgumentException if it says nothing. */
  <T> Optional<T> parsed(String key, Function<String, T> parse) {
    return node(key).flatMap(node -> text(key, node).flatMap(each -> read(key, node, each, parse)));
  }

  /** The same where a number may stand for itself. */
  <T> Optional<T> parsedNumberOrText(String key, Function<String, T> parse) {
    return node(key).flatMap(node -> parsedNumberOrText(key, node, parse));
  }

  <T> Optional<T> parsedNumberOrText(String key, YamlNode node, Function<String, T> parse) {
    if (node instanceof Scalar scalar && scalar.kind() == Kind.TEXT) {
      return read(key, node, scalar.text(), parse);
    }
    if (node instanceof Scalar scalar
        && (scalar.kind() == Kind.WHOLE || scalar.whole().isPresent())) {
      return read(key, node, scalar.whole().map(String::valueOf).orElse(scalar.text()), parse);
    }
    return refused(node, key, "must be a number or text");
  }

  Optional<Long> whole(String key, long least, long most) {
    return node(key)
        .flatMap(
            node -> {
              Optional<Long> value =
                  node instanceof Scalar scalar ? scalar.whole() : Optional.empty();
              return value.filter(number -> least <= number && number <= most).isPresent()
                  ? value
                  : refused(node, key, "must be a whole number of %d to %d".formatted(least, most));
            });
  }

  Optional<Integer> integer(String key, int least, int most) {
    return whole(key, least, most).map(Long::intValue);
  }

  Optional<Boolean> truth(String key) {
    return node(key)
        .flatMap(
            node ->
                node instanceof Scalar scalar && scalar.kind() == Kind.TRUTH
                    ? Optional.of(Boolean.parseBoolean(scalar.text()))
                    : refused(node, key, "must be true or false"));
  }

  /** One of the constants, by the name that files give it. */
  <E> Optional<E> oneOf(String key, E[] constants) {
    return node(key).flatMap(node -> oneOf(key, node, constants));
  }

  <E> Optional<E> oneOf(String key, YamlNode node, E[] constants) {
    if (node instanceof Scalar scalar) {
      for (E constant : constants) {
        if (isWritten(nameOf(constant), scalar)) {
          return Optional.of(constant);
        }
      }
    }
    String names = Stream.of(constants).map(Section::nameOf).collect(Collectors.joining(", "));
    return refused(node, key, "must be one of " + names);
  }

  /** In quotes a number is text. */
  private static boolean isWritten(String name, Scalar scalar) {
    return Character.isDigit(name.charAt(0))
        ? scalar.whole().filter(number -> number == Long.parseLong(name)).isPresent()
        : scalar.kind() == Kind.TEXT && scalar.text().equals(name);
  }

  static String nameOf(Object constant) {
    return constant.toString().toLowerCase(Locale.ROOT);
  }

  /** Says that a key is missing. */
  <T> Optional<T> missing(String key) {
    problems.add(place, name + " needs " + key);
    return Optional.empty();
  }

  /** What is made of the whole section; a constructor that refuses it is a problem of its place. */
  <T> Optional<T> made(Supplier<T> make) {
    try {
      return Optional.of(make.get());
    } catch (IllegalArgumentException e) {
      problems.add(place, e.getMessage());
      return Optional.empty();
    }
  }

  /** Nothing more is asked: what is left is unknown. */
  void end() {
    entries.forEach(
        (key, entry) -> {
          if (!known.contains(key)) {
            problems.add(entry.key().place(), "unknown key " + shown(entry.key()) + likely(key));
          }
        });
  }

  private String likely(String key) {
    return ClosestName.of(key, known)
        .map(close -> ", did you mean " + close + "?")
        .orElseGet(() -> "; " + name + " takes " + String.join(", ", known));
  }

  private Optional<String> text(String key, YamlNode node) {
    if (node instanceof Scalar scalar) {
      return switch (scalar.kind()) {
        case TEXT -> Optional.of(scalar.text());
        case NOTHING -> refused(node, key, "must be text");
        default -> refused(node, key, "must be text, so put it in quotes");
      };
    }
    return refused(node, key, "must be text");
  }

  private <T> Optional<T> read(String key, YamlNode node, String text, Function<String, T> parse) {
    try {
      return Optional.of(parse.apply(text));
    } catch (IllegalArgumentException e) {
      problems.add(node.place(), key + ": " + e.getMessage());
      return Optional.empty();
    }
  }

  private <T> Optional<T> refused(YamlNode node, String key, String expected) {
    problems.add(node.place(), key + " " + expected + ": " + node.described());
    return Optional.empty();
  }

  private static String shown(Scalar key) {
    return key.described();
  }
}

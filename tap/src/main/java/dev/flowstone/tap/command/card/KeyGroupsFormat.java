// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.card;

import dev.flowstone.tap.card.CardShape;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A file that says how many rings a card has, and for how many key groups: {@code ring-count = 4}
 * and {@code max-parallelism = 128}, each in a line of its own.
 *
 * @param otherwise what the file leaves out is as here
 */
record KeyGroupsFormat(CardShape otherwise) implements WatchedFile.Format<CardShape> {
  private static final String RING_COUNT = "ring-count";
  private static final String MAX_PARALLELISM = "max-parallelism";
  private static final List<String> NAMES = List.of(RING_COUNT, MAX_PARALLELISM);

  @Override
  public CardShape parse(byte[] text, Path file) {
    Map<String, Integer> numbers = numbers(new String(text, StandardCharsets.UTF_8), file);
    try {
      return otherwise.with(
          numbers.getOrDefault(RING_COUNT, otherwise.ringCount()),
          numbers.getOrDefault(MAX_PARALLELISM, otherwise.maxParallelism()));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
    }
  }

  private static Map<String, Integer> numbers(String text, Path file) {
    Map<String, Integer> numbers = new HashMap<>();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      String said = line.replaceFirst("#.*", "").strip();
      if (!said.isEmpty()) {
        take(said, file + ":" + number, numbers);
      }
    }
    return numbers;
  }

  private static void take(String said, String place, Map<String, Integer> numbers) {
    String[] parts = said.split("=", 2);
    String name = parts[0].strip();
    if (parts.length < 2 || !NAMES.contains(name)) {
      throw new IllegalArgumentException(
          "%s: '%s' is none of %s = N".formatted(place, said, String.join(" = N, ", NAMES)));
    }
    if (numbers.put(name, number(parts[1].strip(), place)) != null) {
      throw new IllegalArgumentException("%s: %s stands twice".formatted(place, name));
    }
  }

  private static int number(String text, String place) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("%s: '%s' is no number".formatted(place, text), e);
    }
  }
}

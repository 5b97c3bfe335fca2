// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import dev.flowstone.rules.function.Detector;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A detector as a command line names it: its kind, and a threshold of its own if it has one. */
public record AskedDetector(Detector.Kind kind, Optional<Long> threshold) {

  static final class Converter implements ITypeConverter<AskedDetector> {
    @Override
    public AskedDetector convert(String text) {
      int equals = text.indexOf('=');
      String name = equals < 0 ? text : text.substring(0, equals);
      return new AskedDetector(
          kind(name), equals < 0 ? Optional.empty() : Optional.of(threshold(text, equals)));
    }

    private static Detector.Kind kind(String name) {
      return Arrays.stream(Detector.Kind.values())
          .filter(kind -> nameOf(kind).equals(name))
          .findFirst()
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      "no detector "
                          + name
                          + "; there are: "
                          + String.join(
                              ", ",
                              Arrays.stream(Detector.Kind.values())
                                  .map(Converter::nameOf)
                                  .toList())));
    }

    private static String nameOf(Detector.Kind kind) {
      return kind.name().toLowerCase(Locale.ROOT);
    }

    private static long threshold(String text, int equals) {
      try {
        return Long.parseLong(text.substring(equals + 1));
      } catch (NumberFormatException e) {
        throw new TypeConversionException("not a threshold, such as syn_flood=10: " + text);
      }
    }
  }
}

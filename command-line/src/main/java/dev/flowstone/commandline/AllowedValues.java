// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import java.lang.reflect.Field;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Holds the numbers and durations that were typed against {@link Allowed}. */
final class AllowedValues {
  private static final Set<Class<?>> WHOLE =
      Set.of(int.class, Integer.class, long.class, Long.class);

  private AllowedValues() {}

  /** Throws for the first option whose value is not allowed. */
  static void require(ParseResult parsed) {
    for (CommandLine line : parsed.asCommandLineList()) {
      line.getParseResult().matchedOptions().forEach(option -> require(line, option));
    }
  }

  private static void require(CommandLine line, OptionSpec option) {
    Optional<Allowed> allowed = of(option);
    List<Object> values = option.typedValues();
    for (int i = 0; i < values.size() && allowed.isPresent(); i++) {
      if (!allows(option, allowed.get(), number(values.get(i)))) {
        throw new ParameterException(
            line, refusal(option, allowed.get(), option.originalStringValues().get(i)));
      }
    }
  }

  /** What to say of a value that is no number of the option's; empty where any may be. */
  static Optional<String> refusal(ArgSpec argument, String typed) {
    return of(argument).map(allowed -> refusal((OptionSpec) argument, allowed, typed));
  }

  private static Optional<Allowed> of(ArgSpec argument) {
    return argument instanceof OptionSpec option && option.userObject() instanceof Field field
        ? Optional.ofNullable(field.getAnnotation(Allowed.class))
        : Optional.empty();
  }

  private static boolean allows(OptionSpec option, Allowed allowed, double value) {
    return value >= bound(option, allowed.from())
        && (allowed.to().isEmpty() || value <= bound(option, allowed.to()))
        && (!allowed.whole() || value == Math.rint(value));
  }

  private static boolean isWhole(OptionSpec option) {
    return Stream.of(option.auxiliaryTypes()).anyMatch(WHOLE::contains);
  }

  /** A bound is read as a value would be: 64k. */
  private static double bound(OptionSpec option, String text) {
    try {
      ITypeConverter<?>[] converters = option.converters();
      return converters.length == 0
          ? Double.parseDouble(text)
          : number(converters[0].convert(text));
    } catch (Exception e) {
      throw new IllegalStateException(option.longestName() + ": no number: " + text, e);
    }
  }

  private static double number(Object value) {
    return switch (value) {
      case Optional<?> some -> number(some.orElseThrow());
      case Duration duration -> duration.toNanos();
      default -> ((Number) value).doubleValue();
    };
  }

  private static String refusal(OptionSpec option, Allowed allowed, String typed) {
    StringBuilder text = new StringBuilder(option.longestName()).append(" must be ");
    if (typed.contains(".") && (allowed.whole() || isWhole(option))) {
      text.append("a whole number, ");
    }
    if (allowed.to().isEmpty()) {
      text.append(allowed.from()).append(" or more");
    } else {
      text.append(allowed.from()).append(" to ").append(allowed.to());
    }
    if (!allowed.unit().isEmpty()) {
      text.append(' ').append(allowed.unit());
    }
    return text.append(": ").append(typed).toString();
  }
}

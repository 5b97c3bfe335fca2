// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import dev.flowstone.commandline.Allowed;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Options as rows of a table. */
final class Options {
  private static final String NO_UPPER_END = " to " + Integer.MAX_VALUE;

  private Options() {}

  /** Those that somebody may type, by the class that declares them, in the order of the source. */
  static Map<Class<?>, List<OptionSpec>> byClass(CommandSpec command) {
    return command.options().stream()
        .filter(option -> !option.hidden() && !option.usageHelp() && !option.versionHelp())
        .collect(
            Collectors.groupingBy(
                Options::declaring, LinkedHashMap::new, Collectors.toCollection(ArrayList::new)));
  }

  private static Class<?> declaring(ArgSpec argument) {
    return ((Field) argument.userObject()).getDeclaringClass();
  }

  static String table(List<OptionSpec> options) {
    Table table = new Table("option", "default; allowed", "meaning");
    for (OptionSpec option : options) {
      String name = Words.code(String.join(", ", option.names()) + label(option));
      table.row(name, values(option), meaning(option));
    }
    return table.toString();
  }

  static String parameters(CommandSpec command) {
    Table table = new Table("argument", "meaning");
    for (PositionalParamSpec parameter : command.positionalParameters()) {
      table.row(Words.code(parameter.paramLabel()), meaning(parameter));
    }
    return table.toString();
  }

  /** {@code ./flowstone tap live [OPTIONS] IFACE}. */
  static String usage(CommandSpec command) {
    StringBuilder text = new StringBuilder(command.qualifiedName());
    if (command.subcommands().isEmpty()) {
      required(command).forEach(each -> text.append(' ').append(each));
      text.append(" [OPTIONS]");
    } else {
      String label = command.usageMessage().synopsisSubcommandLabel();
      text.append(' ').append(label).append(" [OPTIONS]");
    }
    for (PositionalParamSpec parameter : command.positionalParameters()) {
      String label = parameter.paramLabel() + (parameter.arity().max() > 1 ? "..." : "");
      text.append(' ').append(parameter.arity().min() == 0 ? "[" + label + "]" : label);
    }
    return text.toString();
  }

  private static List<String> required(CommandSpec command) {
    return command.options().stream()
        .filter(ArgSpec::required)
        .map(option -> option.longestName() + label(option))
        .toList();
  }

  private static String label(OptionSpec option) {
    if (option.arity().max() == 0) {
      return "";
    }
    return option.arity().min() == 0 ? "[=" + option.paramLabel() + "]" : " " + option.paramLabel();
  }

  /** What a column of its own says is not said again. */
  private static String meaning(ArgSpec argument) {
    String words = String.join(" ", argument.description());
    String usual = defaultOf(argument);
    if (!usual.isEmpty()) {
      words =
          words.replaceAll(
              "(?:^|[;.,]? ?)[Dd]efault:? " + Pattern.quote(usual) + "(?=[.;,]|$)", "");
    }
    if (argument.isOption() && argument.required()) {
      words = words.replaceFirst("\\.?$", ". Required");
    }
    return Words.sentence(words).replace("<", "&lt;");
  }

  private static String values(OptionSpec option) {
    return Stream.of(Words.code(defaultOf(option)), allowed(option))
        .filter(words -> !words.isEmpty())
        .collect(Collectors.joining("; "));
  }

  /** Empty where there is none, or where words say it better. */
  private static String defaultOf(ArgSpec argument) {
    if (argument.defaultValue() != null) {
      return argument.defaultValue();
    }
    return switch (argument.initialValue()) {
      case Boolean _ -> "";
      case Number number -> told(argument, number);
      case Enum<?> one -> told(argument, one);
      case null, default -> "";
    };
  }

  /** A field's first value is a default only if the option says so. */
  private static String told(ArgSpec argument, Object value) {
    return String.join(" ", argument.description()).contains("efault " + value) ? "" + value : "";
  }

  private static String allowed(OptionSpec option) {
    Allowed allowed = ((Field) option.userObject()).getAnnotation(Allowed.class);
    String range = allowed == null ? TriedRange.of(option) : range(allowed);
    return Words.grouped(range.replace(NO_UPPER_END, " or more"));
  }

  private static String range(Allowed allowed) {
    String range =
        allowed.to().isEmpty()
            ? allowed.from() + " or more"
            : allowed.from() + " to " + allowed.to();
    return allowed.unit().isEmpty() ? range : range + " " + allowed.unit();
  }

  /** What stands below the usage: sentences, and commands that are set in. */
  static String footer(CommandSpec command) {
    StringBuilder text = new StringBuilder();
    boolean wasCommand = true;
    for (String line : command.usageMessage().footer()) {
      boolean isCommand = line.startsWith("  ");
      if (isCommand != wasCommand && !text.isEmpty()) {
        text.append('\n');
      }
      if (!line.isEmpty()) {
        text.append(isCommand ? "  " + line : line.replace("<", "&lt;")).append('\n');
        wasCommand = isCommand;
      }
    }
    return text.isEmpty() ? "" : text.append('\n').toString();
  }
}

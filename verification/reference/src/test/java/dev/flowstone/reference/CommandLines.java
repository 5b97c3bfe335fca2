// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Picocli's own picture of a main class's command line. */
final class CommandLines {
  private static final String LAUNCHER = "./flowstone ";

  private CommandLines() {}

  static CommandSpec of(Class<?> mainClass) {
    CommandSpec command =
        made(mainClass).orElseGet(() -> CommandSpec.forAnnotatedObject(mainClass));
    new CommandLine(command).setCommandName(LAUNCHER + command.name());
    return command;
  }

  /** Some have a subcommand for each job, which no annotation can say. */
  private static Optional<CommandSpec> made(Class<?> mainClass) {
    Optional<Method> maker =
        Stream.of(mainClass.getMethods())
            .filter(method -> method.getReturnType() == CommandSpec.class)
            .findAny();
    return maker.map(
        method -> {
          try {
            return (CommandSpec) method.invoke(null);
          } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException(e);
          }
        });
  }
}

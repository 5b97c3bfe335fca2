// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processes;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A program that is no JVM. The kernel ends it with the thread that started it, so that it does not
 * outlive a parent that is killed: whoever starts one keeps that thread.
 *
 * @param name what messages and files call the process
 */
public record NativeProgram(String name, Path file, List<String> arguments) implements Program {
  public NativeProgram {
    arguments = List.copyOf(arguments);
  }

  @Override
  public List<String> command(Path crashReport) {
    List<String> command = new ArrayList<>();
    // A session of its own, as every child has.
    command.addAll(List.of("setsid", "setpriv", "--pdeathsig", "TERM", file.toString()));
    command.addAll(arguments);
    return command;
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;

/** Runs the other languages' programs. */
final class Processes {
  private Processes() {}

  record Result(int status, String output) {}

  static Result run(Path directory, String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Result(process.waitFor(), output);
  }

  static boolean exists(String... command) throws InterruptedException {
    try {
      return run(Path.of("."), command).status() == 0;
    } catch (IOException e) {
      return false; // No such program.
    }
  }

  /** Lines {@code name=number} of a program that must succeed. */
  static SortedMap<String, String> numbers(Path directory, String... command)
      throws IOException, InterruptedException {
    Result result = run(directory, command);
    assertThat(result.status()).as(result.output()).isZero();
    SortedMap<String, String> numbers = new TreeMap<>();
    for (String line : result.output().lines().toList()) {
      int equals = line.indexOf('=');
      numbers.put(line.substring(0, equals), line.substring(equals + 1));
    }
    return numbers;
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Network namespaces, made and changed with the program {@code ip}. */
public final class IpCommand {
  private static final long LIMIT_SECONDS = 10;

  private IpCommand() {}

  /** Makes a namespace; skips the test where that cannot be done. */
  public static void makeNamespace(String name) throws IOException, InterruptedException {
    assumeTrue(
        Files.isExecutable(Path.of("/usr/sbin/ip")) || Files.isExecutable(Path.of("/sbin/ip")),
        "SKIPPED: no ip command; apt-get install iproute2");
    assumeTrue(
        succeeds("ip", "netns", "add", name),
        "SKIPPED: no network namespace can be made; run as root");
  }

  public static void removeNamespace(String name) throws IOException {
    new ProcessBuilder("ip", "netns", "del", name).start().onExit().join();
  }

  /** Runs {@code ip} in a namespace. */
  public static void run(String namespace, String... arguments)
      throws IOException, InterruptedException {
    require(
        Stream.concat(Stream.of("ip", "-n", namespace), Stream.of(arguments))
            .toArray(String[]::new));
  }

  /** The command that becomes a program in a namespace. */
  public static String[] launcher(String namespace) {
    return new String[] {"ip", "netns", "exec", namespace};
  }

  public static void require(String... command) throws IOException, InterruptedException {
    if (!succeeds(command)) {
      throw new IOException("failed: " + String.join(" ", command));
    }
  }

  public static boolean succeeds(String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    return process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
  }
}

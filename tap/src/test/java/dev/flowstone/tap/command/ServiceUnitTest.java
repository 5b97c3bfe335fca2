// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flowstone.tap.command.source.LiveCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The unit that runs a tap as a service of systemd. */
class ServiceUnitTest {
  private static final Path UNIT = Path.of("systemd/flowstone-tap@.service");
  private static final String PROGRAM = "/opt/flowstone/flowstone";

  @TempDir Path folder;

  @Test
  void shouldPassSystemdsOwnCheck() throws IOException, InterruptedException {
    assumeTrue(
        Stream.of("/usr/bin/systemd-analyze", "/bin/systemd-analyze")
            .anyMatch(program -> Files.isExecutable(Path.of(program))),
        "SKIPPED: no systemd-analyze; apt-get install systemd");
    Path installed = folder.resolve("flowstone-tap@eth0.service");
    String launcher = Path.of("../flowstone").toRealPath().toString();
    Files.writeString(installed, Files.readString(UNIT).replace(PROGRAM, launcher));
    Process check =
        new ProcessBuilder("systemd-analyze", "verify", "--man=no", installed.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(check.waitFor()).as(said).isZero();
    assertThat(said.lines()).noneMatch(line -> line.contains(installed.toString()));
  }

  /** As it stands there, and with options such as its page proposes. */
  @Test
  void shouldStartATapThatUnderstandsItsOptions() throws IOException {
    String start =
        Files.readAllLines(UNIT).stream()
            .filter(line -> line.startsWith("ExecStart="))
            .findFirst()
            .orElseThrow();
    String line =
        start
            .replace("%I", "lo")
            .replace("%i", "lo")
            // Whose members may read: a group that is here.
            .replace("--group flowstone", "--group root")
            .replace("$OPTIONS", "--ring-bytes 4g --metrics 9400 --threads 2");
    List<String> words = List.of(line.substring("ExecStart=".length()).split(" ", -1));
    assertThat(words.subList(0, 3)).containsExactly(PROGRAM, "tap", "live");
    CommandLine.ParseResult parsed =
        new CommandLine(new LiveCommand())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .parseArgs(words.subList(3, words.size()).toArray(String[]::new));
    assertThat(parsed.matchedPositionalValue(0, "")).isEqualTo("lo");
    assertThat(parsed.hasMatchedOption("--rings")).isTrue();
  }
}

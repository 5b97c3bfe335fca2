// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.commandline.CommandRunner;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RulesCommandTest {
  @TempDir private Path folder;

  private record Said(int status, String out, String err) {}

  private static Said run(String... arguments) {
    PrintStream usualOut = System.out;
    PrintStream usualErr = System.err;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
    try {
      int status = CommandRunner.run(new RulesCommand(), arguments);
      return new Said(
          status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(usualOut);
      System.setErr(usualErr);
    }
  }

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  @Test
  void shouldShowRulesInTheOrderOfTheirPrecedence() throws IOException {
    Said said =
        run(
            "check",
            file(
                "rules.yaml",
                """
                rules:
                  - {name: low, function: drop, match: {source: 10.1.0.0/16}}
                  - {name: high, priority: 10, function: {sample: {one_in: 9}}, topic: t, match: {source: 10.0.0.0/8}}
                """));

    assertThat(said.status()).isZero();
    assertThat(said.out().replaceFirst("\\d+ KB", "N KB"))
        .isEqualTo(
            """
            priority  name     packets             function             topic
                  10  high     source 10.0.0.0/8   sample 1:9 by packets  t
                   0  low      source 10.1.0.0/16  drop
                      default  every other packet  pass
            warning: low never counts: every packet of it is one of high
            rules: 2 and the default; compiled: N KB; never count: 1
            """
                .replace("function             topic", "function               topic"));
  }

  @Test
  void shouldWarnOfAMatchThatMeansNoPacket() throws IOException {
    String rule = "{name: a, function: drop, match: {ip: none, protocol: tcp}}";

    assertThat(run("check", file("rules.yaml", "rules: [" + rule + "]")).out())
        .contains("warning: a never counts: no packet has all that it asks\n")
        .endsWith("; never count: 1\n");
  }

  @Test
  void shouldTakeTheFrequencyAsItIsSuggested() throws IOException {
    String file =
        file(
            "flows.conf",
            "\ufeffa { dstPort 80; service_function histogram; report_interval_tsc 4800000000 }");
    Said asked = run("import", file);

    assertThat(asked.err()).endsWith("with --tsc-hz, such as 2.4G\n");
    assertThat(run("import", file, "--tsc-hz", "2.4G").out())
        .as("without the byte order mark")
        .contains("- name: a\n")
        .contains("interval: 2s");
    assertThat(run("import", file, "--tsc-hz", "2.4e9").out()).contains("interval: 2s");
  }

  @Test
  void shouldImportNothingThatIsNoText() throws IOException {
    Path file = Files.write(folder.resolve("flows.conf"), new byte[] {(byte) 0xff, 0});

    assertThat(run("import", file.toString()).err()).isEqualTo(file + ":1:1: no UTF-8 text\n");
  }

  @Test
  void shouldSayWhatIsWrongALineForEach() throws IOException {
    String file = file("bad.yaml", "rules: [{name: a, function: dorp}, {name: b\u001b}]");
    Said said = run("check", file);

    assertThat(said.status()).isEqualTo(1);
    assertThat(said.out()).isEmpty();
    assertThat(said.err()).startsWith(file + ":1:").doesNotContain("\u001b");
  }

  @Test
  void shouldMakeAFileThatCanBeChecked() throws IOException {
    Said imported = run("import", file("flows.conf", "a { srcPort 53; ring_id 2 }"));
    Said checked = run("check", file("rules.yaml", imported.out()));

    assertThat(imported.out())
        .startsWith("# Left out, by line and column of ")
        .contains("ring_id 2");
    assertThat(imported.err())
        .isEqualTo("rules: 1, settings left out: 1 (the first lines name them)\n");
    assertThat(checked.out()).contains("source port 53");
  }

  @Test
  void shouldNameAFileThatIsNotThere() {
    assertThat(run("check", "/nowhere/rules.yaml").err())
        .isEqualTo("flowstone: /nowhere/rules.yaml: no such file\n");
    assertThat(run("import", "/").err()).isEqualTo("flowstone: /: it is a folder; name a file\n");
  }
}

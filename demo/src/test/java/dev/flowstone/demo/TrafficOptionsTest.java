// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.commandline.Allowed;
import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.tap.command.TapCommand;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;

class TrafficOptionsTest {
  @TempDir private Path folder;

  private final TrafficOptions traffic = new TrafficOptions();

  @Test
  void shouldNotSendANamesControlCharactersToTheTerminal() {
    traffic.pcap = Optional.of(Path.of("/tmp/a\u001bc.pcap"));
    assertThat(traffic.describe()).isEqualTo("replay of a\\u001bc.pcap");
    traffic.live = Optional.of("eth\u001b0");
    assertThat(traffic.describe()).isEqualTo("live capture on eth\\u001b0");
  }

  @Test
  void shouldRefuseBeforeAnythingIsStartedWhatItsTapWouldRefuse() throws Exception {
    traffic.noCard = true;
    traffic.requireSense();
    Path text = Files.writeString(folder.resolve("text.pcap"), "no capture");
    traffic.pcap = Optional.of(text);
    assertThatThrownBy(traffic::requireSense).hasMessageContaining("--no-card is for synthetic");
    traffic.noCard = false;
    assertThatThrownBy(traffic::requireSense).hasMessageContaining("text.pcap: offset 0");
    traffic.pcap = Optional.of(folder.resolve("none.pcap"));
    assertThatThrownBy(traffic::requireSense).hasMessageEndingWith("none.pcap: no such file");
    traffic.pcap = Optional.of(folder);
    assertThatThrownBy(traffic::requireSense).hasMessageContaining(": a folder");
    traffic.pcap = Optional.empty();
    traffic.live = Optional.of("nosuch0");
    assertThatThrownBy(traffic::requireSense)
        .hasMessageFindingMatch("no interface nosuch0|CAP_NET_RAW");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --rate 0.5           | --rate must be a whole number, 1 to 1g packets per second: 0.5
          --rate 1.5           | --rate must be a whole number, 1 to 1g packets per second: 1.5
          --rate 2g            | --rate must be 1 to 1g packets per second: 2g
          --seconds 0          | --seconds must be 1 to 31536000 seconds: 0
          --seconds 40000000   | --seconds must be 1 to 31536000 seconds: 40000000
          --ring-bytes 1k      | --ring-bytes must be 64k to 256g: 1k
          --ring-bytes 257g    | --ring-bytes must be 64k to 256g: 257g
          --ring-count 0       | --ring-count must be 1 to
          --web-port 65536     | --web-port must be 0 to 65535: 65536
          --kafka-port -1      | --kafka-port must be 0 to 65535: -1
          """)
  void shouldNameTheOptionAndWhatItTakes(String arguments, String refusal) {
    assertThat(said(arguments.split(" "))).startsWith("flowstone: " + refusal).endsWith("--help\n");
  }

  @Test
  void shouldSendSyntheticTrafficThroughAnEmulatedCard() {
    assertThat(traffic.tapArguments(folder, folder))
        .containsSequence("card", "--device", "emulated")
        .contains(
            "synthetic:preset=syn-flood,start=now,microbursts=1000,flood=100000,rate=500000.0");
    assertThat(traffic.describe()).isEqualTo("synthetic traffic -> emulated card");
    traffic.noCard = true;
    assertThat(traffic.tapArguments(folder, folder))
        .containsSequence("synthetic", "--preset=syn-flood")
        .doesNotContain("card");
    assertThat(traffic.describe()).isEqualTo("synthetic traffic");
  }

  @ParameterizedTest
  @CsvSource({
    "100, 20000, 200",
    "123456, 24691, 246",
    "200000, 40000, 400",
    "5000000, 100000, 1000"
  })
  void shouldFloodASlowMachineMoreSlowly(double rate, int flood, int burst) {
    traffic.noCard = true;
    traffic.rate = Optional.of(rate);
    assertThat(traffic.tapArguments(folder, folder))
        .contains("--flood=" + flood, "--microbursts=" + burst);
  }

  @Test
  void shouldSayHowToGetAnEmulatedCardOrDoWithout() {
    assertThatThrownBy(() -> TrafficOptions.requireCard(folder))
        .hasMessageContaining("make -C hw emulator")
        .hasMessageEndingWith("--no-card");
  }

  /** What the demo lets through would else end it later, with the tap's words. */
  @ParameterizedTest
  @ValueSource(strings = {"--rate", "--seconds", "--ring-bytes", "--ring-count"})
  void shouldTakeNoMoreThanItsTap(String option) {
    CommandLine tap = new CommandLine(TapCommand.class).getSubcommands().get("synthetic");
    Allowed ofTap = allowed(tap.getCommandSpec(), option);
    Allowed ofDemo = allowed(new CommandLine(new OnlyOptions()).getCommandSpec(), option);

    assertThat(ofDemo.to()).isEqualTo(ofTap.to());
    assertThat(ofDemo.unit()).isEqualTo(ofTap.unit());
    // Whole seconds are from 1 on, and no fewer than the tap takes.
    assertThat(ofDemo.from()).isEqualTo(option.equals("--seconds") ? "1" : ofTap.from());
    assertThat(ofDemo.whole()).isEqualTo(ofTap.whole());
  }

  private static Allowed allowed(CommandSpec command, String option) {
    return ((Field) command.findOption(option).userObject()).getAnnotation(Allowed.class);
  }

  /** What is refused before it is run. */
  @Command(name = "options")
  private static final class OnlyOptions implements Runnable {
    @Mixin private DemoOptions options = new DemoOptions();

    @Override
    public void run() {
      System.err.print("ran with " + options.traffic.describe());
    }
  }

  private static String said(String... arguments) {
    PrintStream usual = System.err;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      CommandRunner.run(new OnlyOptions(), arguments);
    } finally {
      System.setErr(usual);
    }
    return said.toString(StandardCharsets.UTF_8);
  }

  @Test
  void shouldKnowWhatItsRingsTake() {
    traffic.ringBytes = (1 << 20) + 1;
    assertThat(traffic.allRingBytes()).as("rounded up").isEqualTo(2 * ((2 << 20) + (1 << 16)));
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.LoopbackPorts;
import dev.flowstone.tap.command.card.CardCommand;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code tap card --feed} at a card in the machine: here one that is emulated, without a cable. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CardSourceCommandTest {
  private static final Duration END_LIMIT = Duration.ofSeconds(60);

  @TempDir Path folder;

  private ChildProcess tap(CardLane lane, Emulator emulator, Path xclbin, List<String> more)
      throws IOException {
    List<String> arguments =
        new ArrayList<>(List.of("--device", "0", "--rings", "" + folder.resolve("rings")));
    arguments.addAll(more);
    return CardTapProcess.start(lane, emulator, xclbin, folder, arguments);
  }

  @Test
  void shouldEndWhenAllIsSent() throws Exception {
    requireEndWhenAllIsSent(CardLane.FLOWSTONE);
  }

  @Test
  @Tag("slow")
  void shouldEndWhenAllIsSentWithAmdsLibrary() throws Exception {
    requireEndWhenAllIsSent(CardLane.AMD);
  }

  /** The tap ends automatically, and its report is complete. */
  private void requireEndWhenAllIsSent(CardLane lane) throws Exception {
    String captures =
        ReplayedCaptures.all().stream().map(Path::toString).collect(Collectors.joining(","));
    Path made = MadeCapture.of(folder.resolve("made.pcap"), 60, 70, 80);
    Path report = folder.resolve("report");
    List<String> more =
        List.of("--feed", captures, "--feed", "" + made, "--loop", "4", "--report", "" + report);
    try (EmulatedTap card = new EmulatedTap(lane, folder, "model", "--design", "u280_pcapsrc");
        ChildProcess tap = tap(lane, card.emulator, card.emulator.cablelessXclbin(), more)) {
      assertThat(tap.awaitEnd(END_LIMIT)).as(tap.errors()).isTrue();
      assertThat(tap.end().status()).as(tap.errors()).isZero();
      JsonNode told = new ObjectMapper().readTree(report.toFile()).get("cards").get(0);
      long frames = CardCapture.of(ReplayedCaptures.all()).frames();
      assertThat(tap.errors())
          .contains("sent to port 0: %1$,d of %1$,d packets of captures".formatted(4 * frames))
          .contains("sent to port 1: 12 of 12 packets of captures");
      assertThat(told.get("sources").get(0).get("sent").asLong()).isEqualTo(4 * frames);
      assertThat(told.get("sources").get(1).get("sent_bytes").asLong()).isEqualTo(4 * 210);
      assertThat(told.get("ports").get(0).get("received").asLong()).isEqualTo(4 * frames);
      long offered = 0;
      for (JsonNode file : told.get("files")) {
        offered += file.get("offered").asLong();
      }
      assertThat(offered).isEqualTo(4 * frames + 12);
    }
  }

  @Test
  void shouldTellPrometheusWhatItSends() throws Exception {
    Path made = MadeCapture.of(folder.resolve("made.pcap"), 60, 70, 80);
    int port = LoopbackPorts.claimFree();
    List<String> more =
        List.of("--feed", "none", "--feed", "" + made, "--loop", "0", "--metrics", "" + port);
    try (EmulatedTap card = new EmulatedTap(folder, "model", "--design", "u280_pcapsrc");
        ChildProcess tap =
            tap(CardLane.FLOWSTONE, card.emulator, card.emulator.cablelessXclbin(), more)) {
      EmulatedTap.await(() -> card.stateNumber("port-1.packets") > 0);
      EmulatedTap.await(() -> sent(port, 1) > 0);
      assertThat(sent(port, 0)).isZero();
      assertThat(tap.isAlive()).isTrue();
    }
  }

  private static long sent(int metricsPort, int port) throws Exception {
    String sample =
        "flowstone_card_source_sent_packets_total{card=\"card 0\",port=\"%d\"} ".formatted(port);
    return CardTapProcess.metrics(metricsPort)
        .lines()
        .filter(line -> line.startsWith(sample))
        .mapToLong(line -> Long.parseLong(line.replaceFirst(".* ", "")))
        .findFirst()
        .orElse(-1);
  }

  /** {@link CardSourceTest} has this by default. */
  @Test
  @Tag("slow")
  void shouldReportWhichXclbinItRequires() throws Exception {
    Path made = MadeCapture.of(folder.resolve("made.pcap"), 60);
    try (EmulatedTap card = new EmulatedTap(folder, "model");
        ChildProcess tap =
            tap(
                CardLane.FLOWSTONE,
                card.emulator,
                card.emulator.xclbin(),
                List.of("--feed", "" + made))) {
      assertThat(tap.awaitEnd(END_LIMIT)).as(tap.errors()).isTrue();
      assertThat(tap.end().status()).isNotZero();
      assertThat(tap.errors()).contains("--feed wants the xclbin of a card without a cable");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--feed generator:rate=5|--feed generator:rate=5: a card without a cable sends captures",
        "--feed pipe:p|--feed pipe:p: a card without a cable sends captures",
        "--feed synthetic|--feed synthetic: a card without a cable sends captures",
        "--feed none --feed none --feed none|a card has 2 ports: captures of 3",
        "--feed nowhere.pcap|nowhere.pcap: no such file",
        "--loop 3|--loop and --gap say how captures are sent: name them",
        "--gap 3|--loop and --gap say how captures are sent: name them",
        "--feed none --gap -1|--gap must be 0 to 2147483647"
      })
  void shouldRejectInvalidOptionsBeforeItOpensTheCard(String arguments, String message)
      throws Exception {
    Path programs = BuiltEmulator.programs();
    List<String> all =
        new ArrayList<>(
            List.of(
                "--device",
                "0",
                "--xclbin",
                "" + programs.resolve("flowstone-pcapsrc.xclbin"),
                "--xrt",
                CardLane.FLOWSTONE.libraryOption(programs)));
    all.addAll(List.of(arguments.split(" ", -1)));
    assertThat(rejection(all)).contains(message);
  }

  /** What the command reports, in this process, when it fails. */
  private String rejection(List<String> arguments) {
    List<String> all = new ArrayList<>(List.of("--rings", "" + folder.resolve("rings")));
    all.addAll(arguments);
    PrintStream usual = System.err;
    ByteArrayOutputStream reported = new ByteArrayOutputStream();
    System.setErr(new PrintStream(reported, true, StandardCharsets.UTF_8));
    try {
      assertThat(CommandRunner.run(new CardCommand(), all.toArray(String[]::new))).isNotZero();
    } finally {
      System.setErr(usual);
    }
    return reported.toString(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(strings = {"emulated", "emulated:rtl"})
  void shouldSendCapturesToAnEmulatedCardOfItsOwn(String device) throws Exception {
    if (device.endsWith("rtl") && !BuiltEmulator.hasRtl()) {
      throw BuiltEmulator.skipped("flowstone-card-rtl is not there");
    }
    Path made = MadeCapture.of(folder.resolve("made.pcap"), 60, 70, 80);
    List<String> arguments =
        List.of(
            "card",
            "--device",
            device,
            "--emulated",
            "design=u280_pcapsrc",
            "--feed",
            "none",
            "--feed",
            "" + made,
            "--loop",
            "100",
            "--gap",
            "0",
            "--rings",
            "" + folder.resolve("rings"),
            "--ring-bytes",
            "1m");
    try (ChildProcess tap =
        CardTapProcess.startWithCards(BuiltEmulator.programs(), folder, arguments)) {
      assertThat(tap.awaitEnd(END_LIMIT)).as(tap.errors()).isTrue();
      assertThat(tap.end().status()).as(tap.errors()).isZero();
      assertThat(tap.errors())
          .contains("sent to port 0: 0 of 0 packets of captures")
          .contains("sent to port 1: 300 of 300 packets of captures")
          .contains("300 packets received, 0 filtered; 300 offered = 300 written + 0 dropped");
    }
  }

  @Test
  void shouldRejectAGapForACardWithCables() {
    assertThat(rejection(List.of("--device", "emulated", "--gap", "5")))
        .contains("--gap is of cards without a cable");
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.model.abi.RingLaneLayout;
import dev.flowstone.offheap.ring.GatingReader;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingStart;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a tap's options come to, in the process itself. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class TapRunTest {
  private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(5);

  @TempDir private Path folder;

  private Path ring() {
    return new RingDirectory(folder).ringFile(0);
  }

  /** Runs to its end with this status; returns what it said. */
  private String tap(int status, String... more) {
    return run(new SyntheticCommand(), status, more);
  }

  private String run(Object command, int status, String... more) {
    PrintStream usual = System.err;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      List<String> arguments = new ArrayList<>(List.of("--rings", folder.toString()));
      arguments.addAll(List.of(more));
      addUnlessGiven(arguments, "--ring-count", "1");
      addUnlessGiven(arguments, "--ring-bytes", "64k");
      assertThat(CommandRunner.run(command, arguments.toArray(String[]::new)))
          .as(said.toString(StandardCharsets.UTF_8))
          .isEqualTo(status);
    } finally {
      System.setErr(usual);
    }
    return said.toString(StandardCharsets.UTF_8);
  }

  private static void addUnlessGiven(List<String> arguments, String option, String value) {
    if (arguments.stream().noneMatch(argument -> argument.startsWith(option))) {
      arguments.addAll(List.of(option, value));
    }
  }

  private void awaitRing() {
    await(() -> Files.exists(ring()));
  }

  private void awaitPackets() {
    awaitRing();
    try (RingFile file = RingFile.open(ring())) {
      await(() -> file.counters().offeredPackets() > 0);
    }
  }

  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      LockSupport.parkNanos(POLL_NS);
    }
  }

  private void claimAndFallSilent() {
    awaitRing();
    try (RingFile file = RingFile.open(ring());
        GatingReader reader = new GatingReader(file, "gone", RingStart.OLDEST)) {
      assertThat(reader.holdsLane()).isTrue();
    }
  }

  /** As if it had claimed its lane some seconds ago. */
  private void claimAndHaveFallenSilent() {
    claimAndFallSilent();
    ByteBuffer aliveNs = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    aliveNs.putLong(0, System.nanoTime() - TimeUnit.SECONDS.toNanos(6));
    try (FileChannel file = FileChannel.open(ring(), StandardOpenOption.WRITE)) {
      file.write(aliveNs, RingFileHeaderLayout.LANES_OFFSET + RingLaneLayout.ALIVE_NS_OFFSET);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ten in a second; the rate alone would give a thousand packets. */
  @Test
  void shouldSendMicroburstsOnTopOfTheRate() {
    tap(0, "--rate", "1000", "--seconds", "1", "--microbursts", "5000", "--ring-bytes", "16m");
    try (RingFile file = RingFile.open(ring())) {
      assertThat(file.counters().offeredPackets()).isBetween(20_000L, 70_000L);
    }
  }

  @Test
  void shouldCountEveryPacketOfEveryInstance() throws IOException {
    Path capture = Path.of("..", "traffic", "captures", "ping-arp-fragments.pcap");
    Path report = folder.resolve("report.json");
    String said =
        run(
            new ResampleCommand(),
            0,
            capture.toString(),
            "--instances",
            "5",
            "--unlimited",
            "--report",
            report.toString());
    assertThat(said)
        .contains("515 packets offered = 515 written + 0 dropped")
        .contains("packets without IP addresses to change, kept as captured: 10");
    assertThat(Files.readString(report)).contains("\"source_packets\": 515", "\"parsed\": 515");
  }

  /** The reader asked for minutes; the operator allows less. */
  @Test
  void shouldTakeTheSpaceOfAReaderThatIsSilentForLongerThanAsked() {
    CompletableFuture<Void> reader = CompletableFuture.runAsync(this::claimAndHaveFallenSilent);
    String said =
        tap(0, "--wait-for-reader", "--lane-expiry", "5s", "--rate", "50k", "--packets", "20000");
    reader.join();
    assertThat(said).contains("ring 0: reader gone").contains("its space is taken");
    try (RingFile file = RingFile.open(ring())) {
      assertThat(file.counters().expiredLanes()).isEqualTo(1);
      assertThat(file.lanes().hasGatingReader()).isFalse();
    }
  }

  /** Living readers show life once a second; a lane freed at once would be one of theirs. */
  @ParameterizedTest
  @ValueSource(strings = {"-1s", "4s", "5", "366d", "9999999999s"})
  void shouldRefuseALaneExpiryThatMakesNoSenseBeforeItMakesRings(String duration) {
    assertThat(tap(2, "--lane-expiry", duration, "--packets", "1"))
        .contains("--lane-expiry must be 5s to 365d: " + duration)
        .hasLineCount(1);
    assertThat(folder).isEmptyDirectory();
  }

  /** What a former tap left there may still be read. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "--packets=0",
        "--packets=1.5",
        "--rate=0.5",
        "--rate=2g",
        "--flows=0",
        "--seconds=-1",
        "--seconds=0",
        "--hold=15",
        "--ring-count=0",
        "--ring-count=257",
        "--ring-bytes=0",
        "--ring-bytes=100t",
        "--ring-bytes=512g",
        "--max-parallelism=0"
      })
  void shouldRefuseWhatMakesNoSenseAndLeaveTheRingsAsTheyAre(String option) {
    tap(0, "--packets", "10");
    String[] words = option.split("=", 2);
    assertThat(run(new SyntheticCommand(), 2, words))
        .startsWith("flowstone: " + words[0] + " must be ")
        .contains(": " + words[1] + "; see ")
        .hasLineCount(1);
    try (RingFile file = RingFile.open(ring())) {
      assertThat(file.counters().offeredPackets()).isEqualTo(10);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"--loop=-1", "--speed=0", "--rate=0"})
  void shouldRefuseAReplayThatMakesNoSense(String option) {
    assertThat(run(new ReplayCommand(), 2, "file", option))
        .startsWith("flowstone: " + option.substring(0, option.indexOf('=')) + " must be ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--blocks=1", "--blocks=2048"})
  void shouldRefuseACaptureThatMakesNoSense(String option) {
    assertThat(run(new LiveCommand(), 2, "lo", option)).contains("--blocks must be 2 to 2047 MiB");
  }

  @Test
  void shouldFailWhenItsRingsWereRemoved() {
    CompletableFuture<Void> remover =
        CompletableFuture.runAsync(
            () -> {
              awaitPackets();
              new RingDirectory(folder).delete();
            });
    assertThat(tap(1, "--rate", "10k")).contains(ring() + ": the ring file was removed");
    remover.join();
  }

  /** A file's name is its maker's choice. */
  @Test
  void shouldNotSendAFilesControlCharactersToTheTerminal() throws IOException {
    Path capture = folder.resolve("a\u001bc.pcap");
    byte[] noPackets = new byte[24];
    ByteBuffer.wrap(noPackets).putInt(0xa1b2c3d4).putShort((short) 2).putShort((short) 4);
    noPackets[23] = 1;
    Files.write(capture, noPackets);
    assertThat(run(new ReplayCommand(), 0, capture.toString()))
        .contains("replay a\\u001bc.pcap -> ")
        .doesNotContain("\u001b");
  }

  @Test
  void shouldBeginWhenItIsTold() {
    String start = "2031-02-03T04:05:06Z";
    long startNs = TimeUnit.SECONDS.toNanos(Instant.parse(start).getEpochSecond());
    tap(0, "--packets", "10", "--unlimited", "--start", start);
    assertThat(firstTimeNs()).isBetween(startNs, startNs + TimeUnit.SECONDS.toNanos(1));
    String capture = "../traffic/captures/udp-voice.pcap";
    run(new ResampleCommand(), 0, capture, "--packets", "10", "--unlimited", "--start", start);
    assertThat(firstTimeNs()).isBetween(startNs, startNs + TimeUnit.SECONDS.toNanos(1));
    assertThat(run(new ResampleCommand(), 2, capture, "--start", "soon"))
        .contains("--start is now, or a time such as 2026-01-31T12:00:00Z: soon");
  }

  private long firstTimeNs() {
    try (RingFile file = RingFile.open(ring());
        GatingReader reader = new GatingReader(file, "looks", RingStart.OLDEST)) {
      reader.poll(1);
      return reader.time().baseNs();
    }
  }

  /** Nobody looks in between. */
  @Test
  void shouldFailWhenItsRingsWereRemovedInItsLastMoment() {
    CompletableFuture<Void> remover =
        CompletableFuture.runAsync(
            () -> {
              claimAndFallSilent();
              awaitPackets();
              new RingDirectory(folder).delete();
            });
    assertThat(tap(1, "--wait-for-reader", "--rate", "10k", "--packets", "2000"))
        .contains(ring() + ": the ring file was removed");
    remover.join();
  }
}

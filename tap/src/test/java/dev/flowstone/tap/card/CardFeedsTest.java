// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.offheap.FileLock;
import dev.flowstone.offheap.ring.GatingReader;
import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingFileException;
import dev.flowstone.offheap.ring.RingStart;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.tap.command.source.ReplayCommand;
import dev.flowstone.tap.command.source.SyntheticCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code tap card --device emulated} with its feeds, held against a tap without a card. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class CardFeedsTest {
  private static final Duration END_LIMIT = Duration.ofMinutes(2);
  private static final int RINGS = 2;
  private static final long LONGER_THAN_REQUESTED_MS = 400;

  @TempDir Path folder;

  private ChildProcess start(String name, String kind, List<String> options, String... more)
      throws IOException, InterruptedException {
    List<String> arguments = arguments(name, options, more);
    arguments.addFirst(kind);
    return CardTapProcess.startWithCards(BuiltEmulator.programs(), folder, arguments);
  }

  private List<String> arguments(String name, List<String> options, String... more) {
    List<String> arguments =
        new ArrayList<>(List.of("--rings", rings(name).path().toString(), "--ring-bytes", "32m"));
    arguments.addAll(options);
    arguments.addAll(List.of(more));
    return arguments;
  }

  /** To the end of its traffic. */
  private void run(String name, String kind, List<String> options, String... more)
      throws Exception {
    try (ChildProcess tap = start(name, kind, options, more)) {
      assertThat(tap.awaitEnd(END_LIMIT)).as(tap.errors()).isTrue();
      assertThat(tap.end().status()).as(tap.errors()).isZero();
    }
  }

  /** The same in this process, for a tap that opens no card. */
  private void runHere(String name, Object command, List<String> options, String... more) {
    assertThat(CommandRunner.run(command, arguments(name, options, more).toArray(String[]::new)))
        .isZero();
  }

  private RingDirectory rings(String name) {
    return new RingDirectory(folder.resolve(name));
  }

  private RingCounters counters(String name, int ring) {
    try (RingFile file = RingFile.open(rings(name).ringFile(ring))) {
      assertThat(file.isEnded()).isTrue();
      return file.counters();
    }
  }

  private void requireSameRecords(String one, String other) {
    for (int ring = 0; ring < RINGS; ring++) {
      assertThat(MadeFiles.records(rings(one), ring))
          .as("ring %d", ring)
          .isNotEmpty()
          .isEqualTo(MadeFiles.records(rings(other), ring));
    }
  }

  /**
   * All that there is of a card: the kernels' RTL beneath AMD's library; and what needs neither.
   */
  @ParameterizedTest
  @CsvSource({"model, FLOWSTONE", "rtl, AMD"})
  void shouldGiveWhatAReplayOfTheSameCapturesGives(String engine, CardLane lane) throws Exception {
    BuiltEmulator.requireEngine(engine, "no capture went through the kernels' RTL");
    String library = lane.libraryOption(BuiltEmulator.programs());
    List<String> captures =
        ReplayedCaptures.whole(folder).stream().map(Path::toString).collect(Collectors.toList());
    run(
        "card",
        "card",
        List.of("--device", "emulated:" + engine, "--xrt", library),
        "--feed",
        String.join(",", captures),
        "--emulated",
        "pace=wait");
    captures.addAll(List.of("--profile", "card"));
    runHere("replayed", new ReplayCommand(), captures);
    requireSameRecords("card", "replayed");
  }

  @Test
  void shouldGiveWhatATapOfTheSameTrafficGives() throws Exception {
    requireSameTraffic("backbone");
  }

  @Test
  @Tag("slow")
  void shouldGiveWhatATapOfASynFloodGives() throws Exception {
    requireSameTraffic("syn-flood");
  }

  /** Same seed, same packets at the same times, whichever way they take; it ends with its feed. */
  private void requireSameTraffic(String preset) throws Exception {
    String traffic = "synthetic:preset=%s,packets=200000,seed=7,unlimited".formatted(preset);
    run(
        "card",
        "card",
        List.of("--device", "emulated", "--feed", traffic, "--card-ring-bytes", "32m"));
    runHere(
        "made",
        new SyntheticCommand(),
        List.of("--preset", preset, "--packets", "200000", "--seed", "7", "--unlimited"),
        "--profile",
        "card",
        "--when-full",
        "drop");
    requireSameRecords("card", "made");
    for (int ring = 0; ring < RINGS; ring++) {
      long made = counters("made", ring).latestTimeNs();
      assertThat(counters("card", ring).latestTimeNs())
          .as("the time that the frames were made with, and a moment after the last one")
          .isBetween(made, made + 30_000_000_000L);
      assertThat(counters("card", ring).lostBeforeTap()).isZero();
    }
  }

  /** What came before is there; that no more was taken is an error, and said. */
  @Test
  void shouldSayWhatIsWrongInAPipe() throws Exception {
    Path pipe = folder.resolve("wire");
    try (ChildProcess tap =
        start("card", "card", List.of("--device", "emulated", "--feed", "pipe:" + pipe))) {
      EmulatedTap.await(() -> isThere(rings("card").ringFile(RINGS - 1)));
      Files.write(pipe, "no pcap, whatever it is".repeat(100).getBytes(US_ASCII), WRITE);
      assertThat(tap.awaitEnd(END_LIMIT)).as(tap.errors()).isTrue();
      assertThat(tap.end().status()).isEqualTo(1);
      assertThat(tap.errors()).containsPattern("emulated card 0 said: .*/wire: .*no more of it");
    }
  }

  /** No packet comes before the readers, and the requested time counts from then. */
  @Test
  void shouldWaitForReaders() throws Exception {
    try (ChildProcess tap =
        start(
            "card",
            "card",
            List.of("--device", "emulated", "--feed", "synthetic:rate=100k"),
            "--wait-for-reader",
            "--seconds",
            "0.2")) {
      EmulatedTap.await(() -> isThere(rings("card").ringFile(RINGS - 1)));
      Thread.sleep(LONGER_THAN_REQUESTED_MS);
      assertThat(tap.isAlive()).as("it waits for readers").isTrue();
      try (RingFile first = RingFile.open(rings("card").ringFile(0));
          RingFile second = RingFile.open(rings("card").ringFile(1));
          GatingReader _ = new GatingReader(first, "first", RingStart.OLDEST);
          GatingReader _ = new GatingReader(second, "second", RingStart.OLDEST)) {
        assertThat(first.counters().offeredPackets()).isZero();
        assertThat(tap.awaitEnd(END_LIMIT)).isTrue();
        assertThat(tap.end().status()).as(tap.errors()).isZero();
      }
    }
  }

  /** A tap that is killed cannot clean up; one that starts later does. */
  @Test
  void shouldRemoveWhatKilledTapsHaveLeft() throws Exception {
    Path orphan = folder.resolve("flowstone-cards-1");
    Path alive = folder.resolve("flowstone-cards-2");
    Path young = folder.resolve("flowstone-cards-3");
    for (Path each : List.of(orphan, alive, young)) {
      Path lock = Files.createFile(Files.createDirectory(each).resolve("card-0.lock"));
      if (!each.equals(young)) {
        Files.setLastModifiedTime(lock, FileTime.fromMillis(0));
      }
    }
    Path second = Files.createFile(alive.resolve("card-1.lock"));
    Files.setLastModifiedTime(second, FileTime.fromMillis(0));
    try (FileLock _ = FileLock.tryTake(second).orElseThrow()) {
      run("card", "card", List.of("--device", "emulated", "--feed", "synthetic:packets=10"));
    }
    assertThat(orphan).doesNotExist();
    assertThat(alive).exists();
    assertThat(young).exists();
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left.filter(each -> each.getFileName().toString().startsWith("flowstone-cards-")))
          .hasSize(2);
    }
  }

  /** A path that is too long for a socket is not taken. */
  @Test
  void shouldPutCardsWhereItIsToldTo() throws Exception {
    Path near = folder.resolve("n");
    Path far = folder.resolve("f".repeat(100));
    for (Path each : List.of(near, far)) {
      try (ChildProcess tap =
          start("card", "card", List.of("--device", "emulated", "--card-folder", "" + each))) {
        EmulatedTap.await(() -> isThere(rings("card").ringFile(RINGS - 1)));
        assertThat(Files.exists(near.resolve("card-0.lock"))).isEqualTo(each.equals(near));
        tap.stop(END_LIMIT);
        assertThat(near).doesNotExist();
        assertThat(far).doesNotExist();
      }
      rings("card").delete();
    }
  }

  private static boolean isThere(Path ring) {
    try {
      RingFile.open(ring).close();
      return true;
    } catch (RingFileException notYet) {
      return false;
    }
  }
}

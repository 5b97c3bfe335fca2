// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.offheap.ring.RingAppender;
import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingFileException;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.JavaProgram;
import dev.flowstone.processes.LoopbackPorts;
import dev.flowstone.processes.Signal;
import dev.flowstone.tap.command.TapCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code tap card} as a process: ended, killed, with several cards. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CardCommandTest {
  private static final Duration END_LIMIT = Duration.ofSeconds(20);

  /** From the start of a tap, which a busy machine may take its time for. */
  private static final Duration LONG_END_LIMIT = Duration.ofSeconds(60);

  private static final int RINGS = 2;

  @TempDir Path folder;

  private ChildProcess tap(Emulator emulator, String... more) throws IOException {
    return tap(CardLane.FLOWSTONE, emulator, more);
  }

  private ChildProcess tap(CardLane lane, Emulator emulator, String... more) throws IOException {
    return CardTapProcess.start(lane, emulator, emulator.xclbin(), folder, List.of(more));
  }

  private static long offered(RingDirectory rings) {
    return offeredSince(Set.of(), rings);
  }

  /** None while files of former starts are among them. */
  private static long offeredSince(Set<Long> formerStarts, RingDirectory rings) {
    long offered = 0;
    for (int ring = 0; ring < RINGS; ring++) {
      try (RingFile file = RingFile.open(rings.ringFile(ring))) {
        if (formerStarts.contains(file.identity().incarnation())) {
          return 0;
        }
        offered += file.counters().offeredPackets();
      } catch (RingFileException notYet) {
        return 0;
      }
    }
    return offered;
  }

  /** Others for each start of a tap. */
  private static Set<Long> starts(RingDirectory rings) {
    Set<Long> starts = new HashSet<>();
    for (int ring = 0; ring < RINGS; ring++) {
      try (RingFile file = RingFile.open(rings.ringFile(ring))) {
        starts.add(file.identity().incarnation());
      } catch (RingFileException notYet) {
        // Before the first start.
      }
    }
    return starts;
  }

  /** AMD's library ends a process by SIGABRT in which a card is still open. */
  @Test
  void shouldEndInOrderWhenTheCardHangs() throws Exception {
    CardLane lane = CardLane.AMD;
    try (EmulatedTap card =
        new EmulatedTap(
            lane, folder, "model", "--feed", "generator", "--fault", "hang:after=50000")) {
      RingDirectory rings = card.files.directory();
      try (ChildProcess tap =
          tap(lane, card.emulator, "--device", "0", "--rings", rings.path().toString())) {
        EmulatedTap.await(() -> card.state("fault.hang").equals("1"));
        tap.send(Signal.TERM);
        assertThat(tap.awaitEnd(END_LIMIT)).isTrue();
        assertThat(tap.end().status()).as(tap.errors()).isEqualTo(1);
        assertThat(tap.errors()).contains("its kernels hang; reset the card");
      }
      assertThat(card.areFilesEnded()).isTrue();
    }
  }

  @Test
  void shouldEndOnSigterm() throws Exception {
    requireEndOnSigterm(CardLane.FLOWSTONE);
  }

  @Test
  @Tag("slow")
  void shouldEndOnSigtermWithAmdsLibrary() throws Exception {
    requireEndOnSigterm(CardLane.AMD);
  }

  private void requireEndOnSigterm(CardLane lane) throws Exception {
    try (EmulatedTap card = new EmulatedTap(lane, folder, "model", "--feed", "generator")) {
      RingDirectory rings = card.files.directory();
      Path report = folder.resolve("report");
      try (ChildProcess tap =
          tap(
              lane,
              card.emulator,
              "--device",
              "0",
              "--rings",
              rings.path().toString(),
              "--report",
              report.toString())) {
        EmulatedTap.await(() -> offered(rings) > 100_000);
        tap.send(Signal.TERM);
        assertThat(tap.awaitEnd(END_LIMIT)).isTrue();
        assertThat(tap.end().status()).as(tap.errors()).isZero();
      }
      JsonNode told = new ObjectMapper().readTree(report.toFile());
      JsonNode only = told.get("cards").get(0);
      long received = only.get("ports").get(0).get("received").asLong();
      long lost = 0;
      for (JsonNode each : only.get("lost")) {
        lost += each.asLong();
      }
      assertThat(told.get("ended").asBoolean()).isTrue();
      assertThat(received).isEqualTo(offered(rings) + lost);
      assertThat(card.areFilesEnded()).isTrue();
    }
  }

  /** The card goes on without it; the next tap tells of all that came and is in no ring. */
  @Test
  void shouldLoseOnlyWhatTheNextTapTellsOf() throws Exception {
    try (EmulatedTap card = new EmulatedTap(folder, "model", "--feed", "generator:rate=500000")) {
      RingDirectory rings = card.files.directory();
      for (int round = 0; round < 2; round++) {
        Set<Long> before = starts(rings);
        try (ChildProcess tap =
            tap(card.emulator, "--device", "0", "--rings", rings.path().toString())) {
          EmulatedTap.await(() -> offeredSince(before, rings) > 50_000);
          tap.kill();
        }
        long then = card.stateNumber("port-0.packets");
        EmulatedTap.await(() -> card.stateNumber("port-0.packets") > then);
      }
      card.start();
      EmulatedTap.await(() -> card.tap != null && card.tap.counters().packets() > 50_000);
      CardCounters counters = card.stop();
      assertThat(counters.losses().get(CardLoss.AWAY)).as("%s", card.said).isPositive();
      assertThat(card.said).singleElement().asString().contains("a tap that was killed");
      EmulatedTap.await(() -> card.stateNumber("port-0.packets") == card.toldPackets());
    }
  }

  /** The card is idle by then, and its counters are still those of the former run. */
  @Test
  void shouldReportWhatATapLeftThatWasKilledWhileItEnded() throws Exception {
    try (EmulatedTap card =
        new EmulatedTap(folder, "model", "--feed", "generator:packets=50000", "--pace", "wait")) {
      long taken = takeSomeAndStop(card);
      for (int round = 0; round < 2; round++) {
        card.start();
        EmulatedTap.await(() -> card.tap != null && card.tap.counters().starts() > 0);
        card.stop();
        assertThat(card.toldPackets()).isEqualTo(50_000);
      }
      assertThat(card.said)
          .singleElement()
          .asString()
          .contains("a tap that was killed had left it stopped")
          .contains("%,d packets came".formatted(50_000 - taken));
    }
  }

  /** Does what a tap does until it waits for readers, and returns the packets in the ring files. */
  private static long takeSomeAndStop(EmulatedTap card) throws Exception {
    try (Card left = card.openCard();
        RingSetWriter files = card.files.make(MadeFiles.SHAPE)) {
      left.start(MadeFiles.SHAPE, CardRuleTable.EMPTY, CardRun::nowNs, () -> CardLimits.DEFAULT);
      EmulatedTap.await(() -> card.stateNumber("port-0.packets") == 50_000);
      RingAccount account = new RingAccount(new CardLosses());
      RingAppender file = files.appender(0);
      RingPump pump =
          new RingPump(left.rings().getFirst(), file, account, MadeFiles.SHAPE, CardRun.nowNs());
      assertThat(pump.pump(true)).isEqualTo(RingPump.Outcome.TAKEN);
      assertThat(left.stopPorts(CardLimits.DEFAULT.stop())).isTrue();
      assertThat(left.stopRings(CardLimits.DEFAULT.stop())).isTrue();
      return pump.counters().packets();
    }
  }

  /** Emulated cards have their number for a bus, with Flowstone's library. */
  @Test
  void shouldFindACardByItsPlace() throws Exception {
    try (EmulatedTap card = new EmulatedTap(folder, "model", "--feed", "generator")) {
      RingDirectory rings = card.files.directory();
      try (ChildProcess tap =
          tap(card.emulator, "--device", "0000:00:00.0", "--rings", rings.path().toString())) {
        EmulatedTap.await(() -> offered(rings) > 10_000);
        tap.send(Signal.TERM);
        assertThat(tap.awaitEnd(END_LIMIT)).isTrue();
        assertThat(tap.end().status()).as(tap.errors()).isZero();
        assertThat(tap.errors()).contains("card 0000:00:00.0");
      }
    }
  }

  /** AMD's library would end the process, and say nothing of what to do. */
  @ParameterizedTest
  @ValueSource(strings = {"--unset=XILINX_XRT", "XILINX_XRT=/nowhere"})
  void shouldSayThatXrtIsNotSetUp(String environment) throws Exception {
    Path programs = BuiltEmulator.programs();
    CardLane.AMD.libraryOption(programs); // or this is skipped
    List<String> arguments =
        List.of("card", "--device", "0", "--xclbin", "" + programs.resolve("flowstone.xclbin"));
    try (ChildProcess tap = CardTapProcess.start(folder, arguments, environment)) {
      assertThat(tap.awaitEnd(END_LIMIT)).as(tap.errors()).isTrue();
      assertThat(tap.end().status()).as(tap.errors()).isEqualTo(1);
      assertThat(tap.errors())
          .contains("XRT is not set up: XILINX_XRT is ", "source /opt/xilinx/xrt/setup.sh");
    }
  }

  @Test
  void shouldGoOnWithTheOtherCards() throws Exception {
    try (EmulatedTap card = new EmulatedTap(folder, "model", "--feed", "generator");
        ChildProcess other = card.emulator.start(1, "model", List.of("--feed", "generator"))) {
      Path rings = folder.resolve("two");
      RingDirectory first = new RingDirectory(rings.resolve("card-0"));
      RingDirectory second = new RingDirectory(rings.resolve("card-1"));
      try (ChildProcess tap =
          tap(card.emulator, "--device", "0", "--device", "1", "--rings", rings.toString())) {
        EmulatedTap.await(() -> offered(first) > 10_000 && offered(second) > 10_000);
        card.process.kill();
        EmulatedTap.await(() -> said(tap).contains("the other cards go on"));
        long then = offered(second);
        EmulatedTap.await(() -> offered(second) > then + 100_000);
        try (RingFile file = RingFile.open(first.ringFile(0))) {
          assertThat(file.isEnded()).isTrue();
        }
        tap.send(Signal.TERM);
        assertThat(tap.awaitEnd(END_LIMIT)).isTrue();
        assertThat(tap.end().status()).as(tap.errors()).isEqualTo(1);
      }
      try (RingFile file = RingFile.open(second.ringFile(0))) {
        RingCounters counters = file.counters();
        assertThat(file.isEnded()).isTrue();
        assertThat(counters.offeredPackets())
            .isEqualTo(counters.writtenPackets() + counters.droppedPackets());
      }
      assertThat(other.isAlive()).isTrue();
    }
  }

  /** What is wrong in it is said, and changes nothing. */
  @Test
  void shouldFollowAFileOfKeyGroups() throws Exception {
    Path keyGroups = Files.writeString(folder.resolve("key-groups"), "ring-count = 1\n");
    try (EmulatedTap card = new EmulatedTap(folder, "model", "--feed", "generator")) {
      RingDirectory rings = card.files.directory();
      try (ChildProcess tap =
          tap(
              card.emulator,
              "--device",
              "0",
              "--rings",
              rings.path().toString(),
              "--key-groups",
              keyGroups.toString())) {
        EmulatedTap.await(() -> isFilled(rings, 0));
        assertThat(rings.ringFile(1)).doesNotExist();
        Files.writeString(keyGroups, "ring-count = many\n");
        EmulatedTap.await(() -> said(tap).contains("key-groups:1: 'many' is no number"));
        assertThat(said(tap)).contains("key-groups: the key groups before stay in force");
        assertThat(starts(rings)).hasSize(1);
        Files.writeString(keyGroups, "ring-count = 4\nmax-parallelism = 64\n");
        EmulatedTap.await(() -> isFilled(rings, 3));
        try (RingFile file = RingFile.open(rings.ringFile(3))) {
          assertThat(file.identity().maxParallelism()).isEqualTo(64);
        }
        tap.send(Signal.TERM);
        assertThat(tap.awaitEnd(END_LIMIT)).isTrue();
        assertThat(tap.end().status()).as(tap.errors()).isZero();
      }
    }
  }

  private static boolean isFilled(RingDirectory rings, int ring) {
    try (RingFile file = RingFile.open(rings.ringFile(ring))) {
      return file.counters().offeredPackets() > 1_000;
    } catch (RingFileException notYet) {
      return false;
    }
  }

  @Test
  void shouldRefuseAFileOfKeyGroupsThatIsWrongAtTheStart() throws Exception {
    Path keyGroups = Files.writeString(folder.resolve("key-groups"), "ring-count = 9\n");
    List<String> arguments =
        List.of("card", "--device", "emulated", "--key-groups", keyGroups.toString());
    try (ChildProcess tap = CardTapProcess.start(folder, arguments)) {
      assertThat(tap.awaitEnd(END_LIMIT)).as(tap.errors()).isTrue();
      assertThat(tap.end().status()).as(tap.errors()).isNotZero();
      assertThat(tap.errors()).contains("key-groups: rings of a card must be 1 to 8: 9");
    }
  }

  /** Its rings have the folder that they always have; the metrics tell, and so does the end. */
  @Test
  void shouldGoOnWithoutACardThatCannotBeOpened() throws Exception {
    try (EmulatedTap card = new EmulatedTap(folder, "model", "--feed", "generator")) {
      Path rings = folder.resolve("two");
      RingDirectory second = new RingDirectory(rings.resolve("card-0"));
      int port = LoopbackPorts.claimFree();
      try (ChildProcess tap =
          tap(
              card.emulator,
              "--device",
              "7",
              "--device",
              "0",
              "--rings",
              rings.toString(),
              "--metrics",
              "" + port)) {
        EmulatedTap.await(() -> offered(second) > 10_000);
        assertThat(said(tap)).contains("card-7").contains("the other cards go on");
        assertThat(CardTapProcess.metrics(port))
            .contains("flowstone_card_up{card=\"card 0\"} 1")
            .contains("flowstone_card_up{card=\"card 7\"} 0");
        tap.send(Signal.TERM);
        assertThat(tap.awaitEnd(END_LIMIT)).isTrue();
        assertThat(tap.end().status()).as(tap.errors()).isEqualTo(1);
      }
    }
  }

  @Test
  void shouldGoOnWithoutAnEmulatedCardThatCannotBeStarted() throws Exception {
    requireOnlyTheSecond(programs(), "there is no such emulated card");
  }

  /** Nobody takes its frames, and no end of the tap waits for them. */
  @Test
  void shouldGoOnWithoutAnEmulatedCardThatIsNoneOfOurs() throws Exception {
    Path programs = programs();
    Path stranger = programs.resolve("flowstone-card-rtl");
    Files.writeString(
        stranger,
        """
        #!/bin/sh
        exec "${0%-rtl}" "$@" --engine model --fault wrong-magic
        """);
    assertThat(stranger.toFile().setExecutable(true)).isTrue();
    requireOnlyTheSecond(programs, "magic 0x");
  }

  /** A folder of the emulated card's programs, without the one of RTL. */
  private Path programs() throws IOException, InterruptedException {
    Path built = BuiltEmulator.programs();
    Path programs = Files.createDirectory(folder.resolve("programs"));
    for (String each : List.of("flowstone-card", "flowstone.xclbin", "libflowstone_xrt.so")) {
      Files.createSymbolicLink(programs.resolve(each), built.resolve(each));
    }
    return programs;
  }

  /** With the folder that it always has, to the end of what comes in at it. */
  private void requireOnlyTheSecond(Path programs, String saidOfTheFirst) throws Exception {
    Path rings = folder.resolve("two");
    List<String> arguments = new ArrayList<>(List.of("card", "--ring-bytes", "16m"));
    arguments.addAll(List.of("--device", "emulated:rtl", "--device", "emulated"));
    arguments.addAll(List.of("--rings", rings.toString()));
    arguments.addAll(List.of("--feed", "generator:packets=20000"));
    try (ChildProcess tap = CardTapProcess.startWithCards(programs, folder, arguments)) {
      assertThat(tap.awaitEnd(LONG_END_LIMIT)).as("it ends: %s", tap.errors()).isTrue();
      assertThat(tap.end().status()).as(tap.errors()).isEqualTo(1);
      assertThat(tap.errors()).contains("card 0: ", saidOfTheFirst, "the other cards go on");
    }
    assertThat(offered(new RingDirectory(rings.resolve("card-1")))).isEqualTo(20_000);
  }

  private static String said(ChildProcess tap) {
    try {
      return tap.errors();
    } catch (IOException notYet) {
      return "";
    }
  }

  /** One that the tap starts itself ends with it, however that ends. */
  @Test
  void shouldEndTheCardThatItStarted() throws Exception {
    Path programs = BuiltEmulator.programs();
    Path home = folder.resolve("home");
    Files.createDirectories(home.resolve("hw"));
    Files.createSymbolicLink(home.resolve("hw/target"), programs);
    RingDirectory rings = new RingDirectory(folder.resolve("rings"));
    List<String> arguments =
        List.of("card", "--device", "emulated", "--ring-bytes", "1m", "--rings", "" + rings.path());
    ProcessHandle emulated;
    try (ChildProcess tap =
        ChildProcess.start(
            JavaProgram.of("tap", TapCommand.class.getName(), arguments)
                .withJvmOptions("--enable-native-access=ALL-UNNAMED", "-Dflowstone.home=" + home)
                .withJvmOptions("-Djava.io.tmpdir=" + folder),
            ChildOutput.gatheredIn(folder))) {
      EmulatedTap.await(() -> offered(rings) > 0);
      emulated =
          tap.handle()
              .descendants()
              .filter(each -> each.info().command().orElse("").endsWith("flowstone-card"))
              .findFirst()
              .orElseThrow();
      tap.kill();
    }
    EmulatedTap.await(() -> !emulated.isAlive());
  }
}

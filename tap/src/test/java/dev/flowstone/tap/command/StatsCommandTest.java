// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.model.abi.RingLaneLayout;
import dev.flowstone.offheap.ParserProfile;
import dev.flowstone.offheap.ring.GatingReader;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.RingStart;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.tap.Pacer;
import dev.flowstone.tap.TapLoop;
import dev.flowstone.traffic.synthetic.SyntheticOptions;
import dev.flowstone.traffic.synthetic.SyntheticSource;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StatsCommandTest {
  private static final int SLOTS_LOG2 = 10;
  private static final int PACKETS = 5_000;

  @TempDir Path folder;

  /** More packets than the rings have slots. */
  private void fillRings() {
    SyntheticOptions traffic = SyntheticOptions.defaults().withPackets(PACKETS);
    try (SyntheticSource source = new SyntheticSource(traffic);
        RingSetWriter rings =
            RingSetWriter.create(
                new RingDirectory(folder),
                new RingSpecification(2, SLOTS_LOG2, source.clock(), 128, "test", Optional.empty()),
                WhenFull.DROP)) {
      new TapLoop(source, rings, ParserProfile.SOFTWARE, Pacer.unpaced()).run();
    }
  }

  private String stats(String... more) {
    PrintStream usual = System.out;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      String[] arguments = new String[more.length + 1];
      System.arraycopy(more, 0, arguments, 0, more.length);
      arguments[more.length] = folder.toString();
      assertThat(CommandRunner.run(new StatsCommand(), arguments)).isZero();
    } finally {
      System.setOut(usual);
    }
    return said.toString(StandardCharsets.UTF_8);
  }

  @Test
  void shouldSayWhatIsThereAndThatNobodyHoldsIt() {
    fillRings();
    assertThat(stats().lines())
        .as("two rings and their sum")
        .filteredOn(line -> line.contains("no reader holds space"))
        .hasSize(2)
        .allSatisfy(
            line ->
                assertThat(line)
                    .contains("1,020 slots (packets and clock marks) can still be read"));
    assertThat(stats()).contains("all 2 rings\n  5,000 offered, 5,000 written, 0 dropped");
  }

  @Test
  void shouldNameTheReaderThatHoldsSpaceAndFreeItsLane() {
    fillRings();
    Path ring = new RingDirectory(folder).ringFile(0);
    try (RingFile file = RingFile.open(ring);
        GatingReader reader = new GatingReader(file, "night-watch", new RingStart.Oldest())) {
      assertThat(reader.poll(1)).isNotNull();
      assertThat(stats())
          .containsOnlyOnce("no reader holds space")
          .contains("lane 0  night-watch")
          .contains("holds 1,020 slots (99 % of the ring)\n");
      assertThat(stats("--free-lane", "0")).contains("freed lane 0 of " + ring + ": night-watch");
      assertThat(reader.holdsLane()).isFalse();
    }
    assertThat(stats()).doesNotContain("night-watch");
  }

  @Test
  void shouldSayHowToFreeWhatASilentReaderHolds() throws IOException {
    fillRings();
    try (RingFile file = RingFile.open(new RingDirectory(folder).ringFile(0));
        GatingReader reader = new GatingReader(file, "night-watch", new RingStart.Oldest())) {
      assertThat(reader.poll(1)).isNotNull();
      overwrite(
          0,
          RingFileHeaderLayout.LANES_OFFSET + RingLaneLayout.ALIVE_NS_OFFSET,
          new byte[] {1, 0, 0, 0, 0, 0, 0, 0});
      assertThat(stats())
          .contains(", SILENT for ")
          .contains("(99 % of the ring); --free-lane 0 gives them up\n");
    }
  }

  @Test
  void shouldSayWhatShouldMakeSomebodyLook() {
    try (RingSetWriter rings =
        RingSetWriter.create(
            new RingDirectory(folder),
            new RingSpecification(1, SLOTS_LOG2, RingClock.HARDWARE, 128, "test", Optional.empty()),
            WhenFull.DROP)) {
      rings.lostBeforeTap(4_321, 1);
      rings.countOtherClock(1_234);
      rings.end();
    }
    assertThat(stats())
        .contains("  4,321 lost before the tap")
        .contains("  1,234 not timed by this clock")
        .contains("timed by the network card");
  }

  @Test
  void shouldSayThatReadersLostTheirSpace() throws IOException {
    fillRings();
    overwrite(0, RingFileHeaderLayout.EXPIRED_LANES_OFFSET, (byte) 3);
    assertThat(stats()).containsOnlyOnce("  3 readers lost their space");
  }

  @Test
  void shouldNotSayWhatIsAsItShouldBe() {
    fillRings();
    assertThat(stats())
        .doesNotContain("before the tap", "not timed", "lost their space", "network card");
  }

  private void overwrite(int ring, long offset, byte... bytes) throws IOException {
    try (FileChannel file =
        FileChannel.open(new RingDirectory(folder).ringFile(ring), StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.wrap(bytes), offset);
    }
  }

  @Test
  void shouldCallACountThatCannotBeDamaged() throws IOException {
    fillRings();
    byte[] minusOne = {-1, -1, -1, -1, -1, -1, -1, -1};
    overwrite(0, RingFileHeaderLayout.DROPPED_PACKETS_OFFSET, minusOne);
    assertThat(stats())
        .contains("written, damaged dropped;")
        .contains("5,000 offered, 5,000 written, damaged dropped");
  }

  @Test
  void shouldCallAReaderThatHoldsMoreThanTheRingDamaged() throws IOException {
    fillRings();
    byte[] zero = new byte[Long.BYTES];
    zero[2] = 1;
    try (RingFile file = RingFile.open(new RingDirectory(folder).ringFile(0));
        GatingReader reader = new GatingReader(file, "night-watch", new RingStart.Oldest())) {
      assertThat(reader.poll(1)).isNotNull();
      overwrite(0, RingFileHeaderLayout.POSITION_OFFSET, zero);
      assertThat(stats())
          .contains("lane 0  night-watch")
          .contains("damaged: it can be freed with --free-lane 0")
          .doesNotContain("of the ring)");
    }
  }

  @Test
  void shouldNotSendANamesControlCharactersToTheTerminal() throws IOException {
    fillRings();
    overwrite(0, RingFileHeaderLayout.TAP_NAME_OFFSET, (byte) 0x1b, (byte) 'c');
    assertThat(stats()).contains("\\u001bc").doesNotContain("\u001b");
  }

  @Test
  void shouldSayThatTheFolderIsMissing() {
    Path missing = folder.resolve("nobody");
    PrintStream usual = System.err;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      assertThat(CommandRunner.run(new StatsCommand(), missing.toString())).isEqualTo(1);
    } finally {
      System.setErr(usual);
    }
    assertThat(said.toString(StandardCharsets.UTF_8))
        .startsWith("flowstone: " + missing + ": no such folder or ring file; start a tap first");
  }

  /** As when the disk is full, or the other end of a pipe is closed. */
  @Test
  void shouldFailWhenNobodyCanReadWhatItSays() {
    fillRings();
    PrintStream usual = System.out;
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int value) throws IOException {
            throw new IOException("no space left");
          }
        };
    System.setOut(new PrintStream(full, false, StandardCharsets.UTF_8));
    try {
      assertThat(CommandRunner.run(new StatsCommand(), folder.toString())).isEqualTo(1);
    } finally {
      System.setOut(usual);
    }
  }
}

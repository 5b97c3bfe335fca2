// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.commandline.CommandRunner;
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
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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
          .contains("holds 1,020 slots (99 % of the ring)");
      assertThat(stats("--free-lane", "0")).contains("freed lane 0 of " + ring + ": night-watch");
      assertThat(reader.holdsLane()).isFalse();
    }
    assertThat(stats()).doesNotContain("night-watch");
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flowstone.offheap.ring.GatingReader;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingStart;
import dev.flowstone.processes.ChildEndedException;
import dev.flowstone.tap.card.Emulator;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TapProcessTest {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  @TempDir private Path folder;

  private boolean withCard;

  private TapProcess start(TrafficOptions traffic) throws Exception {
    traffic.ringBytes = 1 << 20;
    traffic.noCard = !withCard;
    return TapProcess.start(traffic, folder.resolve("rings"), folder);
  }

  @Test
  void shouldNameTheSignalOfATapThatIsKilled() throws Exception {
    try (TapProcess tap = start(new TrafficOptions())) {
      tap.awaitRings(new RingDirectory(folder.resolve("rings")), 2);
      ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
      tap.awaitEnd(LIMIT);
      assertThat(tap.ask().ended()).as("a last word").isFalse();
      assertThatThrownBy(tap::requireSuccess)
          .isInstanceOf(ChildEndedException.class)
          .hasMessageStartingWith("the tap ended with SIGKILL (");
    }
  }

  @Test
  void shouldPassOnEachWarningOnce() throws Exception {
    try (TapProcess tap = start(new TrafficOptions())) {
      tap.awaitRings(new RingDirectory(folder.resolve("rings")), 2);
      assertThat(tap.newWarnings())
          .singleElement()
          .asString()
          .startsWith("warning: rings of 1 MiB last");
      assertThat(tap.newWarnings()).isEmpty();
    }
  }

  /** Built by {@code ./flowstone}; without it nothing here knows how. */
  @Test
  void shouldTellWhatCameThroughTheEmulatedCard() throws Exception {
    Path programs = Emulator.usualPrograms();
    assumeTrue(
        new Emulator(programs, folder).isThere(),
        "no emulated card in " + programs + ", so the demo's was not tried");
    withCard = true;
    TrafficOptions traffic = new TrafficOptions();
    traffic.seconds = Optional.of(1);
    RingDirectory rings = new RingDirectory(folder.resolve("rings"));
    try (TapProcess tap = start(traffic)) {
      tap.awaitRings(rings, 2);
      try (RingFile first = RingFile.open(rings.ringFile(0));
          RingFile second = RingFile.open(rings.ringFile(1));
          GatingReader _ = new GatingReader(first, "first", RingStart.OLDEST);
          GatingReader _ = new GatingReader(second, "second", RingStart.OLDEST)) {
        tap.awaitEnd(LIMIT);
        tap.stop();
        tap.requireSuccess();
        TapCounters told = tap.ask();
        long offered = first.counters().offeredPackets() + second.counters().offeredPackets();
        assertThat(told).isInstanceOf(TapCounters.Card.class);
        assertThat(told.ended()).isTrue();
        assertThat(told.offered()).isPositive();
        assertThat(told.pairs(offered)).hasSize(2).allMatch(Balance.Pair::isEqual);
        assertThat(told.stage().name()).isEqualTo("card");
      }
    }
  }

  @Test
  void shouldRepeatTheTapsOwnWords() throws Exception {
    TrafficOptions traffic = new TrafficOptions();
    traffic.live = Optional.of("no-such-interface");
    try (TapProcess tap = start(traffic)) {
      RingDirectory rings = new RingDirectory(folder.resolve("rings"));
      assertThatThrownBy(() -> tap.awaitRings(rings, 2))
          .isInstanceOfSatisfying(
              ChildEndedException.class, e -> assertThat(e.hasSaidWhy()).isTrue())
          .hasMessageStartingWith("the tap failed: ")
          .hasMessageContaining("no-such-interface");
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.KeyGroups;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingFileException;
import dev.flowstone.rules.card.CardPlanner;
import dev.flowstone.rules.yaml.RulesYaml;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Other rings and key groups while a tap goes on. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CardReshapeTest {
  private static final CardShape WIDER = MadeFiles.SHAPE.with(4, 256);
  private static final String DROP_ALL = "rules: []\ndefault: {function: drop}\n";

  @TempDir Path folder;

  private EmulatedTap card() throws IOException, InterruptedException {
    return new EmulatedTap(folder, "model", "--feed", "generator", "--pace", "wait");
  }

  /** So many that they are not those of a start before. */
  private static void awaitPackets(EmulatedTap card, CardShape shape) throws Exception {
    EmulatedTap.await(
        () ->
            card.tap != null
                && card.tap.counters().rings().size() == shape.ringCount()
                && card.tap.counters().packets() > 20_000);
  }

  @Test
  void shouldFillOtherRingsAsFlinkWouldAndLoseNothing() throws Exception {
    try (EmulatedTap card = card()) {
      card.start();
      awaitPackets(card, MadeFiles.SHAPE);
      card.tap.reshape(WIDER);
      awaitPackets(card, WIDER);
      CardCounters counters = card.stop();
      assertThat(counters.starts()).isEqualTo(2);
      assertThat(counters.lostPackets()).isZero();
      assertThat(card.said)
          .singleElement()
          .asString()
          .contains("4 rings for 256 key groups are asked for");
      EmulatedTap.await(
          () -> card.toldPackets(WIDER.ringCount()) == card.stateNumber("port-0.packets"));
      requireEachWhereItBelongs(card.files.directory());
    }
  }

  private static void requireEachWhereItBelongs(RingDirectory directory) {
    byte[] ringOfKeyGroup = KeyGroups.ringTable(WIDER.maxParallelism(), WIDER.ringCount());
    for (int ring = 0; ring < WIDER.ringCount(); ring++) {
      int number = ring;
      try (RingFile file = RingFile.open(directory.ringFile(ring))) {
        assertThat(file.identity().maxParallelism()).isEqualTo(WIDER.maxParallelism());
        assertThat(file.counters().writtenPackets()).as("ring %d", ring).isPositive();
        assertThat(MadeFiles.keyGroups(file))
            .as("key groups of ring %d", ring)
            .allMatch(keyGroup -> ringOfKeyGroup[keyGroup] == number);
      }
    }
  }

  @Test
  void shouldGoBackToFewerRings() throws Exception {
    try (EmulatedTap card = card()) {
      card.start();
      awaitPackets(card, MadeFiles.SHAPE);
      card.tap.reshape(WIDER);
      awaitPackets(card, WIDER);
      card.tap.reshape(MadeFiles.SHAPE);
      awaitPackets(card, MadeFiles.SHAPE);
      CardCounters counters = card.stop();
      assertThat(counters.starts()).isEqualTo(3);
      assertThat(counters.lostPackets()).isZero();
      assertThat(card.files.directory().ringFile(2)).doesNotExist();
      assertThat(card.areFilesEnded()).isTrue();
    }
  }

  @Test
  void shouldKeepTheRules() throws Exception {
    try (EmulatedTap card = card()) {
      card.start();
      awaitPackets(card, MadeFiles.SHAPE);
      card.tap.program(
          new CardRuleTable(
              CardPlanner.plan(RulesYaml.read(DROP_ALL.getBytes(StandardCharsets.UTF_8), "test"))
                  .entries()));
      EmulatedTap.await(() -> card.tap.counters().filteredPackets() > 10_000);
      card.tap.reshape(WIDER);
      EmulatedTap.await(
          () ->
              card.tap.counters().rings().size() == WIDER.ringCount()
                  && card.tap.counters().filteredPackets() > 10_000);
      CardCounters counters = card.stop();
      assertThat(counters.starts()).isEqualTo(2);
      assertThat(counters.filteredPackets()).isEqualTo(counters.receivedPackets());
    }
  }

  /** Nothing is begun anew for what is so already. */
  @Test
  void shouldGoOnWhereNothingChanges() throws Exception {
    try (EmulatedTap card = card()) {
      card.start();
      awaitPackets(card, MadeFiles.SHAPE);
      card.tap.reshape(new CardShape(2, 16, 128));
      assertThat(card.stop().starts()).isEqualTo(1);
      assertThat(card.said).isEmpty();
    }
  }

  @Test
  void shouldBeginWithWhatWasAskedForBeforeIt() throws Exception {
    try (EmulatedTap card = card();
        Card opened = card.openCard()) {
      CardTap tap =
          new CardTap(
              opened, MadeFiles.SHAPE, card.files, CardRuleTable.EMPTY, true, card.said::add);
      tap.reshape(WIDER);
      Thread running = Thread.ofPlatform().start(tap::run);
      EmulatedTap.await(() -> tap.counters().packets() > 20_000);
      tap.stop();
      running.join();
      assertThat(tap.counters().starts()).isEqualTo(1);
      assertThat(tap.counters().rings()).hasSize(WIDER.ringCount());
    }
  }

  /** There is no run then that could be told. */
  @Test
  void shouldNotMissWhatIsAskedForWhileFilesAreMade() throws Exception {
    try (EmulatedTap card = card();
        Card opened = card.openCard()) {
      CardTap tap =
          new CardTap(
              opened, MadeFiles.SHAPE, card.files, CardRuleTable.EMPTY, true, card.said::add);
      card.files.whenMade = () -> tap.reshape(WIDER);
      Thread running = Thread.ofPlatform().start(tap::run);
      EmulatedTap.await(
          () ->
              tap.counters().rings().size() == WIDER.ringCount()
                  && tap.counters().packets() > 20_000);
      tap.stop();
      running.join();
      assertThat(tap.counters().starts()).isEqualTo(2);
    }
  }

  @Test
  void shouldGoOnWithItsRingsWhereThereIsNoRoomForOthers() throws Exception {
    try (EmulatedTap card = card();
        Card opened = card.openCard()) {
      card.files.whenPrepared =
          () -> {
            throw new RingFileException("no room");
          };
      CardTap tap =
          new CardTap(
              opened, MadeFiles.SHAPE, card.files, CardRuleTable.EMPTY, true, card.said::add);
      Thread running = Thread.ofPlatform().start(tap::run);
      EmulatedTap.await(() -> tap.counters().packets() > 20_000);
      assertThatThrownBy(() -> tap.reshape(WIDER))
          .isInstanceOf(RingFileException.class)
          .hasMessage("no room");
      long then = tap.counters().packets();
      EmulatedTap.await(() -> tap.counters().packets() > then + 20_000);
      tap.stop();
      running.join();
      assertThat(tap.counters().starts()).isEqualTo(1);
      assertThat(tap.counters().rings()).hasSize(MadeFiles.SHAPE.ringCount());
      assertThat(card.said).isEmpty();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.connector.fpga.TestTap;
import dev.flowstone.connector.fpga.rings.FileRingCatalog;
import dev.flowstone.connector.fpga.rings.FileRingCatalog.Unusable;
import dev.flowstone.connector.fpga.rings.LaneUse;
import dev.flowstone.connector.fpga.rings.OpenRing;
import dev.flowstone.connector.fpga.rings.RingName;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.model.abi.RingContent;
import dev.flowstone.offheap.ring.GatingReader;
import dev.flowstone.offheap.ring.ReaderName;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingReader;
import dev.flowstone.offheap.ring.RingStart;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.flink.connector.testutils.source.reader.TestingReaderContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whether another job that has a ring under this reader's name lives: on real ring files. */
class RingIncarnationsTest {
  private static final String NAME = "platform";
  private static final ReaderName.Job MINE = new ReaderName.Job("0123456789ab", "mine");
  private static final ReaderName.Job RIVAL = new ReaderName.Job("fedcba987654", "rival");

  /** Longer than the pauses between two looks for a ring. */
  private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(110);

  @TempDir private Path folder;
  private TestTap tap;
  private RingIncarnations incarnations;

  @BeforeEach
  void begin() {
    startTap();
    List<String> folders = List.of(folder.toString());
    RingName ring = new RingName("here", folder.toString(), 0);
    RingSplit split = new RingSplit(tap.stream(0), ring, 1, RingStart.OLDEST);
    LaneUse lane = new LaneUse(ReaderName.ofJob(NAME, MINE), RingReader.USUAL_EXPIRY, true);
    incarnations =
        new RingIncarnations(
            split,
            new FileRingCatalog(
                folders, RingContent.PACKET_RECORDS, lane, "here", Unusable.REFUSED),
            new JobFacts(true, Optional.empty(), Optional.empty()),
            new RingMetrics(new TestingReaderContext().metricGroup(), split, folders, false));
  }

  @AfterEach
  void stop() {
    tap.close();
  }

  private void startTap() {
    if (tap != null) {
      tap.close();
    }
    tap = new TestTap(folder, 1, 10);
  }

  private static GatingReader rival(RingFile file) {
    return new GatingReader(
        file, ReaderName.ofJob(NAME, RIVAL), RingStart.OLDEST, RingReader.USUAL_EXPIRY);
  }

  private RingFile file() {
    return RingFile.open(new RingDirectory(folder).ringFile(0));
  }

  /** A former rival's death says nothing of the next one, which may have died as well. */
  @Test
  void shouldGiveEachRivalTimeToShowLife() {
    OpenRing first;
    try (RingFile file = file()) {
      GatingReader dies = rival(file);
      assertThat(incarnations.open(System.nanoTime())).isEmpty();
      dies.close();
      first = incarnations.open(System.nanoTime() + PAUSE_NS).orElseThrow();
    }
    startTap();
    try (RingFile file = file()) {
      GatingReader lives = rival(file);
      assertThat(incarnations.openSuccessor(first, System.nanoTime())).isEmpty();
      lives.showLife();
      long laterNs = System.nanoTime() + PAUSE_NS;
      assertThatThrownBy(() -> incarnations.openSuccessor(first, laterNs))
          .isInstanceOf(ReaderNameTakenException.class)
          .hasMessageContaining("rival");
    } finally {
      first.close();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.StaleBlockException;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.connector.fpga.FpgaSourceOptions;
import dev.flowstone.connector.fpga.ReleaseMode;
import dev.flowstone.connector.fpga.TestTap;
import dev.flowstone.connector.fpga.rings.FileRingCatalog;
import dev.flowstone.connector.fpga.rings.FileRingCatalog.Unusable;
import dev.flowstone.connector.fpga.rings.LaneUse;
import dev.flowstone.connector.fpga.rings.RingName;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.model.abi.RingContent;
import dev.flowstone.model.abi.TimeRecordLayout;
import dev.flowstone.offheap.ring.ReaderName;
import dev.flowstone.offheap.ring.RingStart;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.flink.connector.testutils.source.reader.TestingReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How long a block that an operator keeps stays what it was: on real ring files. */
class HeldBlocksTest {
  private static final int SLOTS_LOG2 = 10;
  private static final int SEVERAL_LAPS = 5_000;

  @TempDir private Path folder;
  private final RecordingOutput output = new RecordingOutput();
  private TestTap tap;
  private RingSourceReader<PacketBlock> reader;

  @BeforeEach
  void startTap() {
    tap = new TestTap(folder, 1, SLOTS_LOG2);
  }

  @AfterEach
  void stop() {
    reader.close();
    tap.close();
  }

  /** The first block that it reads. */
  private PacketBlock firstBlock(ReleaseMode release) {
    FpgaSourceOptions options =
        FpgaSource.builder().ringDirectory(folder).release(release).build().options();
    FileRingCatalog catalog =
        new FileRingCatalog(
            options.ringDirectories(),
            RingContent.PACKET_RECORDS,
            new LaneUse(
                ReaderName.of(options.readerName()),
                options.laneExpiry(),
                release != ReleaseMode.OBSERVING),
            "here",
            Unusable.REFUSED);
    reader =
        new RingSourceReader<>(
            new TestingReaderContext(),
            catalog,
            options,
            new JobFacts(true, Optional.empty(), Optional.empty()),
            PacketBlockEmitter::new);
    reader.start();
    RingName name = new RingName("here", folder.toString(), 0);
    reader.addSplits(List.of(new RingSplit(tap.stream(0), name, 1, RingStart.OLDEST)));
    tap.write(100);
    drain();
    return output.blocks.getFirst();
  }

  private void drain() {
    InputStatus status = InputStatus.MORE_AVAILABLE;
    while (status == InputStatus.MORE_AVAILABLE) {
      status = reader.pollNext(output);
    }
  }

  @Test
  void shouldStayUntilACheckpointThatBeganLaterCompletes() {
    PacketBlock held = firstBlock(ReleaseMode.ON_CHECKPOINT);
    PacketBlock owned = held.owned();
    tap.write(SEVERAL_LAPS);
    reader.snapshotState(1);
    tap.write(SEVERAL_LAPS);
    reader.notifyCheckpointAborted(1);
    reader.snapshotState(2);
    tap.write(SEVERAL_LAPS);
    assertThatCode(held::requireIntact).as("no checkpoint completed").doesNotThrowAnyException();
    assertThat(held.timeNs(99)).isEqualTo(owned.timeNs(99));

    reader.notifyCheckpointComplete(2);
    tap.write(SEVERAL_LAPS);
    assertThatThrownBy(held::requireIntact).isInstanceOf(StaleBlockException.class);
    assertThatThrownBy(held::owned).isInstanceOf(StaleBlockException.class);
    assertThat(owned.timeNs(99)).isEqualTo(TestTap.START_NS + 100_000);
  }

  @Test
  void shouldStayOnlyUntilTheNextPollWhenSpaceIsGivenBackOnRead() {
    PacketBlock held = firstBlock(ReleaseMode.ON_READ);
    tap.write(SEVERAL_LAPS);
    assertThatThrownBy(held::requireIntact).isInstanceOf(StaleBlockException.class);
  }

  @Test
  void shouldBeACopyWhereTheTapWaitsForNobody() {
    PacketBlock held = firstBlock(ReleaseMode.OBSERVING);
    PacketBlock owned = held.owned();
    tap.write(SEVERAL_LAPS);
    assertThat(tap.dropped()).isZero();
    assertThatCode(held::requireIntact).doesNotThrowAnyException();
    assertThat(held.timeNs(99)).isEqualTo(owned.timeNs(99));

    // A clock record comes with it, from which on packets can be dated again.
    tap.sleep(TimeRecordLayout.INTERVAL_NS);
    tap.write(100);
    drain();
    assertThat(output.blocks).hasSizeGreaterThan(1);
    assertThatThrownBy(held::requireIntact).isInstanceOf(StaleBlockException.class);
  }
}

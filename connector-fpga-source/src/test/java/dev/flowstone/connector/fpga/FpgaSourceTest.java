// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.rings.RingName;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingStart;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.connector.testutils.source.reader.TestingReaderContext;
import org.apache.flink.connector.testutils.source.reader.TestingReaderOutput;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FpgaSourceTest {
  private static final int SLOTS_LOG2 = 10;

  @TempDir private Path folder;

  /** The tap knows it from nowhere else. */
  @Test
  void shouldWriteIntoTheLaneHowLongItMayBeSilent() throws Exception {
    Duration expiry = Duration.ofSeconds(17);
    FpgaSource source = FpgaSource.builder().ringDirectory(folder).laneExpiry(expiry).build();
    SourceReader<PacketBlock, RingSplit> reader = source.createReader(new TestingReaderContext());
    try (TestTap tap = new TestTap(folder, 1, SLOTS_LOG2)) {
      RingFile ring = tap.writer().ringFile(0);
      RingName name = new RingName("here", folder.toString(), 0);
      reader.start();
      reader.addSplits(List.of(new RingSplit(ring.identity().stream(), name, 1, RingStart.OLDEST)));
      reader.pollNext(new TestingReaderOutput<>());
      assertThat(ring.lanes().occupants())
          .singleElement()
          .satisfies(lane -> assertThat(lane.expiryNs()).isEqualTo(expiry.toNanos()));
    } finally {
      reader.close();
    }
  }
}

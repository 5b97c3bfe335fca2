// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.rings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.connector.fpga.TestTap;
import dev.flowstone.connector.fpga.rings.FileRingCatalog.Unusable;
import dev.flowstone.model.abi.RingContent;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.offheap.ring.ReaderName;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingReader;
import dev.flowstone.offheap.ring.RingStart;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileRingCatalogTest extends RingCatalogContractTest {
  @TempDir private Path folder;
  private TestTap tap;
  private RingCatalog catalog;
  private int numbers;

  @AfterEach
  void stop() {
    if (tap != null) {
      tap.close();
    }
  }

  @Override
  RingCatalog catalog() {
    if (catalog == null) {
      catalog =
          new FileRingCatalog(
              List.of(folder.toString()),
              RingContent.PACKET_RECORDS,
              new LaneUse(ReaderName.of("test"), RingReader.USUAL_EXPIRY, true),
              "here",
              Unusable.LEFT_OUT);
    }
    return catalog;
  }

  @Override
  RingName name() {
    return new RingName("here", folder.toString(), 0);
  }

  @Override
  void startProducer() {
    if (tap != null) {
      tap.close();
    }
    tap = new TestTap(folder, 1, SLOTS_LOG2);
    tap.heartbeat();
  }

  @Override
  void offer(int packets) {
    for (int i = 0; i < packets; i++) {
      tap.writeNumber(numbers++);
    }
  }

  @Override
  void endProducer() {
    tap.end();
  }

  @Override
  void removeRing() {
    new RingDirectory(folder).delete();
  }

  @Test
  void shouldLeaveOutAFileThatIsNoRing() throws IOException {
    startProducer();
    Files.writeString(folder.resolve("ring-001.ring"), "not a ring");
    assertThat(catalog().discover()).hasSize(1);
  }

  /** A bounded job would wait for its end for ever. */
  @Test
  void shouldRefuseAFileThatIsNoRingWhereAllMustBeRead() throws IOException {
    startProducer();
    Path file = folder.resolve("ring-001.ring");
    Files.writeString(file, "not a ring");
    FileRingCatalog strict =
        new FileRingCatalog(
            List.of(folder.toString()),
            RingContent.PACKET_RECORDS,
            new LaneUse(ReaderName.of("test"), RingReader.USUAL_EXPIRY, true),
            "here",
            Unusable.REFUSED);
    assertThatThrownBy(strict::discover).hasMessageContaining(file.toString());
  }

  private void overwrite(long offset, int value) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    try (FileChannel file =
        FileChannel.open(new RingDirectory(folder).ringFile(0), StandardOpenOption.WRITE)) {
      file.write(bytes.putInt(0, value), offset);
    }
  }

  @Test
  void shouldLookAgainAtAFileThatWasPutRight() throws Exception {
    startProducer();
    overwrite(RingFileHeaderLayout.ABI_VERSION_OFFSET, 99);
    assertThat(catalog().discover()).isEmpty();
    // Times of files move in steps of the kernel's clock.
    Thread.sleep(20);
    overwrite(RingFileHeaderLayout.ABI_VERSION_OFFSET, RingFileHeaderLayout.ABI_VERSION);
    assertThat(catalog().discover()).hasSize(1);
  }

  /** File systems on disk give a new file the number of one that was removed. */
  @Test
  void shouldLookAtANewFileThatHasTheNumberOfAFormerOne() throws IOException {
    startProducer();
    long former = stream();
    Path file = new RingDirectory(folder).ringFile(0);
    Path other = folder.resolve("kept");
    Files.createLink(other, file);
    Files.delete(file);
    assertThat(catalog().discover()).isEmpty();
    Files.move(other, file);
    overwrite(RingFileHeaderLayout.STREAM_OFFSET + Integer.BYTES, 4711);
    assertThat(catalog().discover())
        .singleElement()
        .satisfies(seen -> assertThat(seen.stream()).isNotEqualTo(former));
  }

  /** Stream numbers tell rings apart, whatever their files are called. */
  @Test
  void shouldNotOpenAnotherStreamUnderTheNameOfOneThatItFound() throws IOException {
    startProducer();
    long former = stream();
    overwrite(RingFileHeaderLayout.STREAM_OFFSET + Integer.BYTES, 4711);
    assertThat(catalog().open(former, RingStart.OLDEST)).isEmpty();
    assertThat(stream()).as("after that it looks again").isNotEqualTo(former);
  }

  @Test
  void shouldNotTakeOtherRecordsForPackets() throws IOException {
    startProducer();
    long stream = stream();
    // The catalog asks a ring only once: what it holds does not change while it has its name.
    catalog = null;
    overwrite(RingFileHeaderLayout.CONTENT_OFFSET, 9);
    assertThat(catalog().discover()).isEmpty();
    assertThat(catalog().open(stream, RingStart.OLDEST)).isEmpty();
    FileRingCatalog strict =
        new FileRingCatalog(
            List.of(folder.toString()),
            RingContent.PACKET_RECORDS,
            new LaneUse(ReaderName.of("test"), RingReader.USUAL_EXPIRY, true),
            "here",
            Unusable.REFUSED);
    assertThatThrownBy(strict::discover)
        .hasMessageContaining("holds unknown (9) records, this source reads packet_records");
  }

  @Test
  void shouldNotReadARingUnderAnotherRingsName() throws IOException {
    startProducer();
    Files.move(folder.resolve("ring-000.ring"), folder.resolve("ring-001.ring"));
    assertThat(catalog().discover()).isEmpty();
  }
}

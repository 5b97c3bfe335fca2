// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That the body is right is shown where the format is decoded. */
class RecordPackerTest {
  private static final int PACKETS = 1_000;
  private static final long BYTES = PACKETS * PacketRecordLayout.SIZE_BYTES;

  @TempDir private Path folder;

  private static void fill(MemorySegment records) {
    for (int i = 0; i < PACKETS; i++) {
      records.set(
          ValueLayout.JAVA_INT,
          i * PacketRecordLayout.SIZE_BYTES + PacketRecordLayout.DESCRIPTOR_OFFSET,
          RecordKind.IPV4 << PacketRecordLayout.KIND_SHIFT);
    }
  }

  /** In native code it would be the end of this JVM. */
  @Test
  void shouldFailInJavaWhereAMappedFileIsCutShort() throws IOException {
    try (FileChannel file =
            FileChannel.open(
                folder.resolve("ring"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        Arena arena = Arena.ofConfined()) {
      MemorySegment records = file.map(MapMode.READ_WRITE, 0, BYTES, arena);
      fill(records);
      RecordPacker packer = new RecordPacker(PACKETS);
      assertThat(packer.pack(records, 0, null, PACKETS, 0).byteSize()).isPositive();
      file.truncate(0);
      assertThatThrownBy(() -> packer.pack(records, 0, null, PACKETS, 0))
          .isInstanceOf(InternalError.class);
    }
  }

  @Test
  void shouldNotAskForMoreThanThereIs() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment records = arena.allocate(BYTES, PacketRecordLayout.SIZE_BYTES);
      fill(records);
      RecordPacker packer = new RecordPacker(PACKETS + 1);
      assertThatThrownBy(() -> packer.pack(records, 0, null, PACKETS + 1, 0))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> packer.pack(records, 0, new int[] {PACKETS}, 1, 0))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }
}

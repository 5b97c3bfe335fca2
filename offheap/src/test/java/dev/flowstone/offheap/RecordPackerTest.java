// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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

  /** Whoever knows them can choose flows that lie in one another's way: the body does not show. */
  @Test
  void shouldDrawEachNumberOfItsSecretAnew() throws ReflectiveOperationException {
    try (Arena arena = Arena.ofConfined()) {
      List<Long> numbers = new ArrayList<>();
      ParserLibrary library = libraryThatTellsSecrets(numbers, arena);
      for (int packer = 0; packer < 3; packer++) {
        assertThat(new RecordPacker(PACKETS, library)).isNotNull();
      }
      assertThat(numbers)
          .hasSize(3 * library.secretNumbers())
          .doesNotHaveDuplicates()
          .doesNotContain(0L);
    }
  }

  /** The real one, but for what makes a packer. */
  @SuppressWarnings("restricted")
  private static ParserLibrary libraryThatTellsSecrets(List<Long> numbers, Arena arena)
      throws ReflectiveOperationException {
    SymbolLookup real = ParserLibrary.load();
    MethodHandle tell =
        MethodHandles.lookup()
            .findStatic(
                RecordPackerTest.class,
                "tell",
                MethodType.methodType(
                    void.class, List.class, MemorySegment.class, int.class, MemorySegment.class))
            .bindTo(numbers);
    MemorySegment makePacker =
        Linker.nativeLinker()
            .upcallStub(
                tell,
                FunctionDescriptor.ofVoid(
                    ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.ADDRESS),
                arena);
    return new ParserLibrary(
        name -> name.equals("flowstone_packer_make") ? Optional.of(makePacker) : real.find(name));
  }

  @SuppressWarnings({"restricted", "unused"})
  private static void tell(
      List<Long> numbers, MemorySegment packer, int maxPackets, MemorySegment secret) {
    long count = ParserLibrary.instance().secretNumbers();
    for (long number :
        secret.reinterpret(count * Long.BYTES).toArray(ValueLayout.JAVA_LONG_UNALIGNED)) {
      numbers.add(number);
    }
  }
}

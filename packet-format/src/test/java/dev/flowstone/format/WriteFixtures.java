// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketRecordLayout.SIZE_BYTES;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes the fixtures of a version into a directory. Run by hand when a version is released; never
 * over an old one.
 */
final class WriteFixtures {
  private static final int ORDINARY = 200;
  private static final int WILD = 40;

  private WriteFixtures() {}

  public static void main(String[] arguments) throws IOException {
    final Path directory = Path.of(arguments[0]);
    final int count = ORDINARY + WILD;
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment records = arena.allocate(count * SIZE_BYTES, 64);
      new TrafficMix(42, 30, 1.0).fill(records, ORDINARY);
      WildRecords.fill(records.asSlice(ORDINARY * SIZE_BYTES), WILD, 42);
      for (BodyKind body : BodyKind.values()) {
        final PacketBatchEncoder encoder = new PacketBatchEncoder(body, count);
        final byte[] message = encoder.encode(RoundTrip.ORIGIN, records, 0, count);
        Files.write(directory.resolve("v3-" + name(body) + ".batch"), message);
      }
      final byte[] message = Files.readAllBytes(directory.resolve("v3-raw.batch"));
      Files.writeString(
          directory.resolve("v3.json"),
          BatchText.of(new PacketBatchDecoder().readHeader(message), records));
    }
  }

  static String name(BodyKind body) {
    return switch (body) {
      case RAW -> "raw";
      case COLUMNS -> "columns";
    };
  }
}

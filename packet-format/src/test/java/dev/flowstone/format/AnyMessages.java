// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketRecordLayout.SIZE_BYTES;

import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.abi.PacketBatchHeaderLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Messages of every version and body, of traffic and of what no parser writes, with any header, and
 * with columns in any shape that the format allows.
 */
final class AnyMessages {
  private static final int MOST_PACKETS = 120;

  private final SplittableRandom random;

  AnyMessages(long seed) {
    random = new SplittableRandom(seed);
  }

  byte[] next() {
    try (Arena arena = Arena.ofConfined()) {
      final int count = random.nextInt(4) == 0 ? random.nextInt(4) : random.nextInt(MOST_PACKETS);
      final MemorySegment records = arena.allocate((count + 1) * SIZE_BYTES, 64);
      if (random.nextInt(3) == 0) {
        WildRecords.fill(records, count, random.nextLong());
      } else {
        new TrafficMix(random.nextLong(), 1 + random.nextInt(40), 1.0).fill(records, count);
      }
      return switch (random.nextInt(6)) {
        case 0 -> encoded(BodyKind.RAW, records, count);
        case 1 -> encoded(BodyKind.COLUMNS, records, count);
        case 2 -> withoutStream(encoded(BodyKind.RAW, records, count));
        case 3 -> withoutStream(ColumnMessage.of(records, count).writeVersion2(random));
        case 4 -> withAnyHeader(ColumnMessage.of(records, count).writeVersion2(random));
        default -> withAnyHeader(ColumnMessage.of(records, count).write(random));
      };
    }
  }

  private byte[] encoded(BodyKind body, MemorySegment records, int count) {
    final PacketBatchEncoder encoder = new PacketBatchEncoder(body, Math.max(1, count));
    return withAnyHeader(encoder.encode(RoundTrip.ORIGIN, records, 0, count));
  }

  /** Any numbers that a header may have, losses up to the largest. */
  private byte[] withAnyHeader(byte[] message) {
    final PacketBatchHeader header = PacketBatchHeader.read(message);
    new PacketBatchHeader(
            header.version(),
            header.body(),
            header.count(),
            random.nextInt(1 << 16),
            random.nextLong(),
            random.nextInt(1 << 16),
            random.nextLong(),
            random.nextLong(),
            Math.max(0, header.count() - 1) + random.nextInt(1 << 20),
            1 + random.nextLong(0xffff_ffffL),
            random.nextLong(),
            new PacketLoss(anyLoss(), anyLoss()),
            random.nextBoolean())
        .write(message);
    ColumnMessage.sign(message);
    return message;
  }

  private long anyLoss() {
    return random.nextBoolean() ? 0 : random.nextLong(Long.MAX_VALUE);
  }

  /** A message of version 1: that of another version without the last words of its header. */
  private static byte[] withoutStream(byte[] message) {
    final int header1 = PacketBatchHeaderLayout.VERSION_1_BYTES;
    final int header = (int) PacketBatchHeaderLayout.SIZE_BYTES;
    final byte[] first = Arrays.copyOf(message, message.length - (header - header1));
    System.arraycopy(message, header, first, header1, message.length - header);
    LittleEndian.SHORT.set(
        first,
        (int) PacketBatchHeaderLayout.VERSION_OFFSET,
        (short) PacketBatchHeaderLayout.VERSION_1);
    ColumnMessage.sign(first);
    return first;
  }
}

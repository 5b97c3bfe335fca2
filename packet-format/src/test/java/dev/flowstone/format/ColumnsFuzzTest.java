// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketColumns.DIRECTION;
import static dev.flowstone.model.abi.PacketColumns.DIRECTION_FLOW;
import static dev.flowstone.model.abi.PacketColumns.DIRECTION_PROFILE;
import static dev.flowstone.model.abi.PacketColumns.FIRST_FROM_B;
import static dev.flowstone.model.abi.PacketColumns.FLOW_PAIR;
import static dev.flowstone.model.abi.PacketColumns.PROTOCOL;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.COLUMN_COUNT;
import static dev.flowstone.model.abi.PacketRecordLayout.SIZE_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Changes the values and counts of valid messages, not their bytes: descriptors, lengths and
 * checksum stay right, so that the decoder gets as far as the values.
 */
class ColumnsFuzzTest {
  private static final int ROUNDS = 30_000;
  private static final int[] PACKETS = {1, 2, 3, 5, 8, 13, 70};

  /** Those that say which row of another table belongs to a row. */
  private static final int[] LINKS = {
    DIRECTION, DIRECTION_FLOW, FLOW_PAIR, DIRECTION_PROFILE, FIRST_FROM_B, PROTOCOL
  };

  /** Its scratch space has seen all messages before. */
  private final PacketBatchDecoder veteran = new PacketBatchDecoder();

  @Test
  @Timeout(120)
  void shouldAnswerChangedColumnsWithPacketsOrRefusal() {
    final long seed = Long.getLong("flowstone.seed", System.nanoTime());
    System.out.println("ColumnsFuzzTest: seed " + seed + "; again with -Dflowstone.seed=" + seed);
    final SplittableRandom random = new SplittableRandom(seed);
    final List<ColumnMessage> originals = originals(seed);
    int accepted = 0;
    for (int round = 0; round < ROUNDS; round++) {
      final ColumnMessage message = originals.get(random.nextInt(originals.size())).copy();
      for (int change = random.nextInt(4); change >= 0; change--) {
        change(message, random);
      }
      final byte[] written = random.nextBoolean() ? message.write() : message.write(random);
      if (random.nextInt(4) == 0) {
        changeBody(written, random);
      }
      accepted += decode(written, "seed " + seed + ", round " + round) ? 1 : 0;
    }
    assertThat(accepted).as("accepted of %d, seed %d", ROUNDS, seed).isBetween(1, ROUNDS - 1);
  }

  private static List<ColumnMessage> originals(long seed) {
    final List<ColumnMessage> originals = new ArrayList<>();
    try (Arena arena = Arena.ofConfined()) {
      for (int count : PACKETS) {
        final MemorySegment records = arena.allocate(count * SIZE_BYTES, 64);
        new TrafficMix(seed, 1 + count / 4, 1.0).fill(records, count);
        originals.add(ColumnMessage.of(records, count));
        WildRecords.fill(records, count, seed);
        originals.add(ColumnMessage.of(records, count));
      }
    }
    return originals;
  }

  private static void change(ColumnMessage message, SplittableRandom random) {
    final int[] column =
        message
            .columns[
            random.nextBoolean()
                ? LINKS[random.nextInt(LINKS.length)]
                : random.nextInt(COLUMN_COUNT)];
    switch (random.nextInt(8)) {
      case 0 -> changeCount(message, random);
      case 1 -> Arrays.fill(column, value(message, random));
      case 2, 3 -> {
        if (column.length > 0) {
          swap(column, random.nextInt(column.length), random.nextInt(column.length));
        }
      }
      default -> {
        if (column.length > 0) {
          column[random.nextInt(column.length)] = value(message, random);
        }
      }
    }
  }

  private static void changeCount(ColumnMessage message, SplittableRandom random) {
    final int step = random.nextInt(5) - 2;
    switch (random.nextInt(9)) {
      case 5 -> message.pairCount = Math.max(0, message.pairCount + step);
      case 6 -> message.profileCount = Math.max(0, message.profileCount + step);
      case 7 -> message.pairCount = message.flowCount;
      case 8 -> message.profileCount = message.directionCount;
      case 0 -> message.count = Math.max(0, message.count + step);
      case 1 -> message.directionCount = Math.max(0, message.directionCount + step);
      case 2 -> message.flowCount = Math.max(0, message.flowCount + step);
      case 3 -> message.directionCount = message.count;
      default -> message.flowCount = message.directionCount;
    }
    message.fitRows();
  }

  private static void swap(int[] column, int row, int other) {
    final int value = column[row];
    column[row] = column[other];
    column[other] = value;
  }

  /** Mostly numbers near a bound. */
  private static int value(ColumnMessage message, SplittableRandom random) {
    final int near = random.nextInt(3) - 1;
    return switch (random.nextInt(8)) {
      case 0, 1 -> 0;
      case 2 -> message.flowCount + near;
      case 3 -> message.directionCount + near;
      case 4 -> message.count + near;
      case 5 -> Integer.MIN_VALUE + near;
      case 6 -> near;
      default -> random.nextInt();
    };
  }

  private static void changeBody(byte[] message, SplittableRandom random) {
    final int at = random.nextInt(ColumnMessage.BODY_OFFSET, message.length);
    message[at] = (byte) (random.nextBoolean() ? random.nextInt(40) : random.nextInt(256));
    ColumnMessage.sign(message);
  }

  /** Whether the message is accepted; whatever else decoders have done must not matter. */
  private boolean decode(byte[] message, String round) {
    final PacketBatch batch;
    try {
      // Without scratch space, as that of larger messages would hide an index beyond its rows.
      batch = PacketBatch.decode(new PacketBatchDecoder(), message);
    } catch (PacketBatchException refused) {
      assertThat(refusal(message)).as(round).isEqualTo(refused.getMessage());
      return false;
    } catch (RuntimeException leaked) {
      throw new AssertionError(round + " leaks " + leaked, leaked);
    }
    final MemorySegment again = PacketBatch.decode(veteran, message).records();
    assertThat(again.mismatch(batch.records())).as(round).isEqualTo(-1);
    RoundTrip.check(BodyKind.COLUMNS, batch.records(), null, batch.count());
    return true;
  }

  private String refusal(byte[] message) {
    try {
      return "accepted " + PacketBatch.decode(veteran, message).count() + " packets";
    } catch (PacketBatchException refused) {
      return refused.getMessage();
    }
  }
}

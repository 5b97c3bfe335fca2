// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.PacketBatchHeaderLayout;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever a message holds, the decoder answers with packets or with a PacketBatchException. */
class PacketBatchFuzzTest {
  private static final int ROUNDS = 20_000;

  private final PacketBatchDecoder decoder = new PacketBatchDecoder();
  private final BatchChecksum checksum = new BatchChecksum();

  @ParameterizedTest
  @EnumSource(BodyKind.class)
  void shouldRefuseEveryFlippedBit(BodyKind body) {
    final byte[] message = fixture(body);
    for (int bit = 0; bit < message.length * 8; bit++) {
      final byte[] mutated = message.clone();
      mutated[bit >>> 3] ^= (byte) (1 << (bit & 7));
      assertThatThrownBy(() -> PacketBatch.decode(decoder, mutated))
          .isInstanceOf(PacketBatchException.class);
    }
  }

  @ParameterizedTest
  @EnumSource(BodyKind.class)
  void shouldRefuseEveryTruncation(BodyKind body) {
    final byte[] message = fixture(body);
    for (int length = 0; length < message.length; length++) {
      final byte[] truncated = Arrays.copyOf(message, length);
      sign(truncated);
      assertThatThrownBy(() -> PacketBatch.decode(decoder, truncated))
          .isInstanceOf(PacketBatchException.class);
    }
  }

  /**
   * An attacker signs what he sends: behind a right checksum every other check must hold on its
   * own.
   */
  @ParameterizedTest
  @EnumSource(BodyKind.class)
  void shouldSurviveSignedNonsense(BodyKind body) {
    final long seed = Long.getLong("flowstone.seed", System.nanoTime());
    System.out.println(
        "PacketBatchFuzzTest: seed " + seed + "; again with -Dflowstone.seed=" + seed);
    final SplittableRandom random = new SplittableRandom(seed);
    final byte[] message = fixture(body);
    int refused = 0;
    for (int round = 0; round < ROUNDS; round++) {
      final byte[] mutated = message.clone();
      final int reach =
          random.nextBoolean()
              ? 320
              : message.length; // the first 320 bytes say how to read the rest
      for (int change = random.nextInt(3); change >= 0; change--) {
        mutated[random.nextInt(Math.min(reach, message.length))] = (byte) random.nextInt(256);
      }
      sign(mutated);
      try {
        assertThat(PacketBatch.decode(decoder, mutated).count())
            .isBetween(0, PacketBatchEncoder.MAX_COUNT);
      } catch (PacketBatchException expected) {
        assertThat(expected.place()).isNotEmpty();
        assertThat(expected.reason()).isNotEmpty();
        refused++;
      }
    }
    assertThat(refused).as("refused of %d, seed %d", ROUNDS, seed).isPositive();
  }

  @Test
  void shouldNameTheVersionItDoesNotKnow() {
    final byte[] message = fixture(BodyKind.COLUMNS);
    message[(int) PacketBatchHeaderLayout.VERSION_OFFSET] = 4;
    sign(message);
    assertThatThrownBy(() -> decoder.readHeader(message))
        .isInstanceOf(PacketBatchException.class)
        .hasMessageContaining("header.version")
        .hasMessageContaining("version 4");
  }

  /** As {@link BatchOrigin} does, so that nobody divides by it. */
  @Test
  void shouldRefuseASamplingWeightOfNothing() {
    final byte[] message = fixture(BodyKind.COLUMNS);
    LittleEndian.INT.set(message, (int) PacketBatchHeaderLayout.SAMPLING_WEIGHT_OFFSET, 0);
    sign(message);
    assertThatThrownBy(() -> decoder.readHeader(message))
        .isInstanceOf(PacketBatchException.class)
        .hasMessageContaining("header.sampling_weight");
  }

  @Test
  void shouldRefuseMorePacketsThanTheBound() {
    final byte[] message = fixture(BodyKind.COLUMNS);
    LittleEndian.INT.set(message, (int) PacketBatchHeaderLayout.COUNT_OFFSET, -1);
    sign(message);
    assertThatThrownBy(() -> decoder.readHeader(message))
        .isInstanceOf(PacketBatchException.class)
        .hasMessageContaining("4294967295 packets");
  }

  private void sign(byte[] message) {
    if (message.length >= PacketBatchHeaderLayout.SIZE_BYTES) {
      final int value = checksum.of(message, message.length);
      LittleEndian.INT.set(message, (int) PacketBatchHeaderLayout.CHECKSUM_OFFSET, value);
    }
  }

  private static byte[] fixture(BodyKind body) {
    return PacketBatchFixtureTest.resource("/v3-" + WriteFixtures.name(body) + ".batch");
  }
}

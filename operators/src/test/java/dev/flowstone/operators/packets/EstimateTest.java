// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.packets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.WeightedBlock;
import dev.flowstone.model.FlowHash;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.operators.SentPacket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sums of weights tell how much there was: the mean over a thousand samples meets the truth. */
@SuppressWarnings("try") // Closing a harness throws whatever its operator does.
class EstimateTest {
  private static final int SAMPLES = 1_000;
  private static final int PACKETS = 3_000;

  private record Totals(double packets, double bytes) {}

  private static Totals totals(List<WeightedBlock> blocks) {
    long packets = 0;
    long bytes = 0;
    for (WeightedBlock weighted : blocks) {
      PacketBlock block = weighted.packets();
      packets += (long) weighted.weight() * block.count();
      for (int i = 0; i < block.count(); i++) {
        int descriptor = PacketRecord.descriptor(block.segment(), block.offsetOf(i));
        bytes += (long) weighted.weight() * PacketRecord.frameLength(descriptor);
      }
    }
    return new Totals(packets, bytes);
  }

  private static Totals truth(SentRing ring) {
    return totals(List.of(WeightedBlock.plain(ring.block(0, ring.count()))));
  }

  private static Totals estimate(ChoiceHarness harness, SentRing ring, String sample)
      throws Exception {
    harness.give(
        ring.block(0, ring.count()),
        ChoiceHarness.rules("rules: []\ndefault: {function: {sample: %s}}".formatted(sample)));
    return totals(harness.takeSent());
  }

  /** Of estimates relative to the truth; three standard errors of their mean. */
  private static void requireUnbiased(double[] relative) {
    double mean = 0;
    for (double each : relative) {
      mean += each / relative.length;
    }
    double variance = 0;
    for (double each : relative) {
      variance += (each - mean) * (each - mean) / (relative.length - 1);
    }
    assertThat(variance).isPositive();
    assertThat(Math.abs(mean - 1))
        .as("mean %f, variance %f", mean, variance)
        .isLessThan(3 * Math.sqrt(variance / relative.length));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{one_in: 10, by: random, seed: %d}",
        "{one_in: 3, by: random, seed: %d}",
        "{one_in: 100, by: random, seed: %d}",
        "{one_in: 10, by: random, seed: %d, keep_syn_fin_rst: true}"
      })
  void shouldEstimateWithoutBiasOverSeeds(String sample) throws Exception {
    SentRing ring = SentRing.random(9, PACKETS, new Random(77));
    Totals truth = truth(ring);
    double[] packets = new double[SAMPLES];
    double[] bytes = new double[SAMPLES];
    try (ChoiceHarness harness = ChoiceHarness.alone()) {
      for (int seed = 0; seed < SAMPLES; seed++) {
        Totals estimate = estimate(harness, ring, sample.formatted(seed));
        packets[seed] = estimate.packets / truth.packets;
        bytes[seed] = estimate.bytes / truth.bytes;
      }
    }
    requireUnbiased(packets);
    requireUnbiased(bytes);
  }

  /** There is no seed: a thousand times other flows, with a few packets without IP among them. */
  @Test
  void shouldEstimateWithoutBiasOverFlows() throws Exception {
    double[] packets = new double[SAMPLES];
    double[] bytes = new double[SAMPLES];
    Random random = new Random(5);
    try (ChoiceHarness harness = ChoiceHarness.alone()) {
      for (int sample = 0; sample < SAMPLES; sample++) {
        SentRing ring = manyFlows(random, sample);
        Totals estimate = estimate(harness, ring, "{one_in: 8, by: flows}");
        Totals truth = truth(ring);
        packets[sample] = estimate.packets / truth.packets;
        bytes[sample] = estimate.bytes / truth.bytes;
      }
    }
    requireUnbiased(packets);
    requireUnbiased(bytes);
  }

  /** There is no seed: a thousand times other packets, as many as the weights are of. */
  @ParameterizedTest
  @ValueSource(ints = {3, 10, 100})
  void shouldEstimateBytesWithoutBiasWhereItCounts(int oneIn) throws Exception {
    double[] bytes = new double[SAMPLES];
    Random random = new Random(12);
    try (ChoiceHarness harness = ChoiceHarness.alone()) {
      for (int sample = 0; sample < SAMPLES; sample++) {
        SentRing ring = SentRing.random(sample, 3 * oneIn, random);
        Totals estimate = estimate(harness, ring, "{one_in: %d}".formatted(oneIn));
        Totals truth = truth(ring);
        assertThat(estimate.packets).isEqualTo(truth.packets);
        bytes[sample] = estimate.bytes / truth.bytes;
      }
    }
    requireUnbiased(bytes);
  }

  private static SentRing manyFlows(Random random, long stream) {
    List<SentPacket> packets = new ArrayList<>();
    while (packets.size() < 500) {
      FlowTuple flow =
          FlowTuple.ipv4(random.nextInt(), random.nextInt(), random.nextInt(65536), 443, 6);
      int ofFlow = 1 + random.nextInt(6);
      for (int i = 0; i < ofFlow; i++) {
        packets.add(new SentPacket(flow, 1_000_000, 60 + random.nextInt(1400), 0x10));
      }
    }
    SentRing ring = SentRing.of(stream, packets);
    for (int i = 0; i < 100; i++) {
      ring.takeIpFrom(random.nextInt(packets.size()));
    }
    return ring;
  }

  /** Each ring has its share of the sampled flows: as of coin tosses, within four deviations. */
  @ParameterizedTest
  @ValueSource(ints = {2, 10, 128})
  void shouldChooseFlowsWhateverTheirKeyGroup(int oneIn) throws Exception {
    int flows = 64_000;
    int groups = 16;
    int[] ofGroup = new int[groups];
    int[] chosenOfGroup = new int[groups];
    Random random = new Random(6);
    for (int i = 0; i < flows; i++) {
      FlowTuple flow = FlowTuple.ipv4(random.nextInt(), i, random.nextInt(65536), 443, 6);
      int hash = FlowHash.of(flow);
      int group = KeyGroups.keyGroup(hash, groups);
      ofGroup[group]++;
      long draw = Integer.toUnsignedLong(WholeFlows.draw(hash));
      chosenOfGroup[group] += draw * oneIn < 1L << Integer.SIZE ? 1 : 0;
    }
    for (int group = 0; group < groups; group++) {
      double expected = (double) ofGroup[group] / oneIn;
      assertThat((double) chosenOfGroup[group])
          .isBetween(expected - 4 * Math.sqrt(expected), expected + 4 * Math.sqrt(expected));
    }
  }

  /** By count the estimate is never less than the truth, and less than N more. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 1000, 2_999, 3_000, 1_000_000_000})
  void shouldOverestimateByLessThanOneWeightWhereItCounts(int oneIn) throws Exception {
    SentRing ring = SentRing.random(9, PACKETS, new Random(8));
    for (String keep : List.of("false", "true")) {
      try (ChoiceHarness harness = ChoiceHarness.alone()) {
        String sample = "{one_in: %d, keep_syn_fin_rst: %s}".formatted(oneIn, keep);
        Totals estimate = estimate(harness, ring, sample);
        assertThat(estimate.packets - PACKETS).isBetween(0.0, oneIn - 1.0);
      }
    }
  }
}

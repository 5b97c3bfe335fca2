// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.packets;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.operators.SentPacket;
import dev.flowstone.operators.ruled.RulesInForce;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * What choosing costs for each packet of 64 blocks of 16,000, more than caches hold: {@code mvn -pl
 * operators test-compile exec:java -Dexec.classpathScope=test
 * -Dexec.mainClass=dev.flowstone.operators.packets.ChoiceCost}.
 */
final class ChoiceCost {
  private static final int BLOCKS = 64;
  private static final int BLOCK_PACKETS = 16_000;
  private static final int ROUNDS = 12;

  private ChoiceCost() {}

  public static void main(String[] arguments) throws Exception {
    Path key = Files.createTempFile("flowstone-choice-cost", ".key");
    Files.write(key, PrefixCipherTest.sampleKey());
    AnonymisationKeys keys = AnonymisationKeys.read(Map.of("key", key));
    Files.delete(key);
    List<PacketBlock> few = blocks(50_000);
    for (String function :
        List.of(
            "pass",
            "{sample: {one_in: 100}}",
            "{sample: {one_in: 100, keep_syn_fin_rst: true}}",
            "{sample: {one_in: 100, by: flows}}",
            "{sample: {one_in: 100, by: random}}",
            "{sample: {one_in: 100, by: random, keep_syn_fin_rst: true}}",
            "{pass: {anonymise: key}}")) {
      say(function, few, keys);
    }
    say("{pass: {anonymise: key}}  # every address new", blocks(Integer.MAX_VALUE), keys);
  }

  private static List<PacketBlock> blocks(int addresses) {
    Random random = new Random(1);
    List<PacketBlock> blocks = new ArrayList<>();
    for (int block = 0; block < BLOCKS; block++) {
      List<SentPacket> packets = new ArrayList<>();
      for (int i = 0; i < BLOCK_PACKETS; i++) {
        FlowTuple flow =
            FlowTuple.ipv4(random.nextInt(addresses), random.nextInt(addresses), 7, 443, 6);
        packets.add(new SentPacket(flow, 1_000_000, 100, random.nextInt(16) == 0 ? 0x02 : 0x10));
      }
      blocks.add(SentPacket.block(packets));
    }
    return blocks;
  }

  @SuppressWarnings("try") // Closing a harness throws whatever its operator does.
  private static void say(String function, List<PacketBlock> blocks, AnonymisationKeys keys)
      throws Exception {
    RulesInForce rules = ChoiceHarness.rules("rules: []\ndefault:\n  function: " + function + "\n");
    double best = Double.MAX_VALUE;
    try (ChoiceHarness harness = ChoiceHarness.with(keys)) {
      for (int round = 0; round < ROUNDS; round++) {
        long began = System.nanoTime();
        for (PacketBlock block : blocks) {
          harness.give(block, rules);
          harness.getOutput().clear();
        }
        double ns = (double) (System.nanoTime() - began) / BLOCKS / BLOCK_PACKETS;
        best = Math.min(best, ns);
      }
    }
    System.out.printf("%8.2f ns/packet  %s%n", best, function);
  }
}

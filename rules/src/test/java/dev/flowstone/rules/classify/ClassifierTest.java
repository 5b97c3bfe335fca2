// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.classify;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.rules.AddressMatch;
import dev.flowstone.rules.ByteMatch;
import dev.flowstone.rules.Match;
import dev.flowstone.rules.PortMatch;
import dev.flowstone.rules.RandomPackets;
import dev.flowstone.rules.RandomRules;
import dev.flowstone.rules.Rule;
import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.function.Pass;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ClassifierTest {
  private static final int PACKETS = 1024;
  private static final long MOST_MEMORY_BYTES = 150_000_000;

  /** No object per packet: what a block of a thousand allocates must not grow with its packets. */
  @Test
  void shouldAllocateNothing() {
    RuleSet rules = new RandomRules(1).set(200);
    Classifier classifier = Classifier.of(rules);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment records = arena.allocate(PACKETS * PacketRecordLayout.SIZE_BYTES, 64);
      new RandomPackets(rules, 1).fill(records, PACKETS);
      short[] found = new short[PACKETS];
      long allocated = 0;
      for (int i = 0; i < 300; i++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        classifier.classify(records, 0, PACKETS, found);
        allocated = threads.getCurrentThreadAllocatedBytes() - before;
      }
      assertThat(allocated).isLessThan(PACKETS);
    }
  }

  /** As many rules as there may be, with as many different values as they can have. */
  @Test
  void shouldBeBoundedWithTheMostRules() {
    SplittableRandom random = new SplittableRandom(7);
    List<Rule> all = new ArrayList<>();
    for (int i = 0; i < RuleSet.MOST_RULES - 1; i++) {
      boolean ipv4 = i % 2 == 0;
      Match match =
          new Match(
              Optional.of(address(random, ipv4)),
              Optional.of(address(random, ipv4)),
              Optional.of(ports(random)),
              Optional.of(ports(random)),
              Optional.of(byteOf(random)),
              Optional.of(byteOf(random)),
              Optional.of(byteOf(random)),
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Optional.empty());
      all.add(new Rule("r" + i, 0, match, Pass.unchanged(), Optional.empty(), Optional.empty()));
    }
    RuleSet rules =
        RuleSet.of(all, RuleSet.defaultRule(Pass.unchanged(), Optional.empty(), Optional.empty()));

    assertThat(Classifier.of(rules).memoryBytes()).isLessThan(MOST_MEMORY_BYTES);
  }

  private static AddressMatch address(SplittableRandom random, boolean ipv4) {
    return ipv4
        ? AddressMatch.prefix(true, 0, 0xffffL << 32 | random.nextLong(1L << 32), 32)
        : AddressMatch.prefix(false, random.nextLong(), random.nextLong(), 128);
  }

  private static ByteMatch byteOf(SplittableRandom random) {
    int mask = random.nextInt(ByteMatch.MOST + 1);
    return new ByteMatch(random.nextInt(ByteMatch.MOST + 1) & mask, mask);
  }

  private static PortMatch ports(SplittableRandom random) {
    int mask = random.nextInt(0x10000);
    return new PortMatch.Masked(random.nextInt(0x10000) & mask, mask);
  }
}

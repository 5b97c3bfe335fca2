// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.packets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.WeightedBlock;
import dev.flowstone.operators.packets.NaiveSampler.Sent;
import dev.flowstone.operators.ruled.RulesInForce;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;

/** The same packets go on however rings are cut, mixed, and moved between subtasks. */
@SuppressWarnings("try") // Closing a harness throws whatever its operator does.
class ChoicePropertyTest {
  private static final String RULES =
      """
      rules:
        - {name: web, priority: 5, match: {destination_port: 80}, function: {sample: {one_in: 7, keep_syn_fin_rst: true}}}
        - {name: names, priority: 4, match: {destination_port: 53}, function: {sample: {one_in: 3, by: flows}}}
        - {name: no-mail, priority: 3, match: {destination_port: 25}, function: {sample: {one_in: 4, by: random, seed: -9, keep_syn_fin_rst: true}}}
        - {name: shells, priority: 2, match: {destination_port: 22}, function: pass}
        - {name: answers, priority: 1, match: {source_port: 443}, function: {sample: {one_in: 2, by: random, seed: 5}}}
        - {name: without-ip, match: {ip: none}, function: {sample: {one_in: 3, by: flows}}}
      default: {function: {sample: {one_in: 5}}}
      """;
  private static final int RINGS = 3;
  private static final int PACKETS = 700;

  private final RulesInForce rules = ChoiceHarness.rules(RULES);

  /** How far each ring was read. */
  private final int[] read = new int[RINGS];

  private final Set<Sent> sent = new TreeSet<>();

  @Property(tries = 60)
  void shouldChooseTheSamePacketsAsANaiveSampler(@ForAll long seed) throws Exception {
    Arrays.fill(read, 0);
    sent.clear();
    Random random = new Random(seed);
    List<SentRing> rings = new ArrayList<>();
    for (int ring = 0; ring < RINGS; ring++) {
      rings.add(SentRing.random(ring + 40, PACKETS, random));
    }

    List<OperatorSubtaskState> states = run(rings, List.of(), 1, random, PACKETS / 3);
    states = run(rings, states, 3, random, PACKETS * 2 / 3);
    states = run(rings, states, 2, random, PACKETS * 2 / 3 + 20);
    run(rings, states, 1, random, PACKETS);

    NaiveSampler naive = new NaiveSampler(rules);
    Set<Sent> expected = new TreeSet<>();
    rings.forEach(ring -> expected.addAll(naive.sample(ring)));
    assertThat(sent).isEqualTo(expected);
    assertThat(sent.size()).isLessThan(RINGS * PACKETS);
  }

  /** Reads on to a position at least, ring i in subtask i + 1 of so many. */
  private List<OperatorSubtaskState> run(
      List<SentRing> rings,
      List<OperatorSubtaskState> former,
      int parallelism,
      Random random,
      int until)
      throws Exception {
    List<OperatorSubtaskState> states = new ArrayList<>();
    for (int subtask = 0; subtask < parallelism; subtask++) {
      try (ChoiceHarness harness =
          former.isEmpty()
              ? ChoiceHarness.alone()
              : ChoiceHarness.restored(former, parallelism, subtask)) {
        read(harness, rings, parallelism, subtask, random, until);
        List<WeightedBlock> taken = harness.takeSent();
        book(taken);
        requireBalance(harness, taken);
        states.add(harness.snapshot(until, until));
      }
    }
    return states;
  }

  private void requireBalance(ChoiceHarness harness, List<WeightedBlock> taken) {
    for (int rule = 0; rule < rules.size(); rule++) {
      String name = rules.tag(rule).name();
      RuleCounters counters = harness.countersOf(name);
      long out =
          taken.stream()
              .filter(block -> block.rule().name().equals(name))
              .mapToLong(block -> block.packets().count())
              .sum();
      assertThat(counters.kept.getCount() + counters.sampled.getCount()).as(name).isEqualTo(out);
      assertThat(out + counters.leftOut.getCount()).as(name).isEqualTo(counters.in.getCount());
    }
  }

  private void read(
      ChoiceHarness harness,
      List<SentRing> rings,
      int parallelism,
      int subtask,
      Random random,
      int until)
      throws Exception {
    List<Integer> own = new ArrayList<>();
    for (int ring = 0; ring < RINGS; ring++) {
      if ((ring + 1) % parallelism == subtask && read[ring] < until) {
        own.add(ring);
      }
    }
    while (!own.isEmpty()) {
      final int ring = own.get(random.nextInt(own.size()));
      int end = Math.min(PACKETS, read[ring] + 1 + random.nextInt(150));
      harness.give(rings.get(ring).block(read[ring], end), rules);
      read[ring] = end;
      if (end >= until) {
        own.removeIf(each -> each == ring);
      }
    }
  }

  private void book(List<WeightedBlock> blocks) {
    for (WeightedBlock block : blocks) {
      for (int i = 0; i < block.packets().count(); i++) {
        Sent packet =
            new Sent(
                block.packets().stream(),
                block.packets().positionOf(i),
                block.weight(),
                block.rule().number());
        assertThat(sent.add(packet)).as("%s once", packet).isTrue();
      }
    }
  }
}

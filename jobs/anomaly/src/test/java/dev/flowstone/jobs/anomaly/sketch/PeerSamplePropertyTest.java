// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.sketch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.flowstone.jobs.anomaly.sketch.PeerSample.Share;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class PeerSamplePropertyTest {
  private record Sent(long rank, int peer) {}

  private static PeerSample of(List<Sent> packets) {
    PeerSample sample = new PeerSample();
    packets.forEach(packet -> sample.add(packet.rank(), 0, packet.peer()));
    return sample;
  }

  @Property(tries = 200)
  void shouldKeepTheSmallestRanksHoweverTheyCome(
      @ForAll Random random, @ForAll @IntRange(min = 1, max = 400) int count) {
    List<Sent> packets = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      packets.add(new Sent(random.nextLong(), random.nextInt(5)));
    }
    Collections.shuffle(packets, random);
    int cut = random.nextInt(count);
    PeerSample parts = of(packets.subList(0, cut));
    parts.addAll(of(packets.subList(cut, count)).toLongs());

    long[] ranks =
        packets.stream().mapToLong(Sent::rank).sorted().limit(PeerSample.MOST_KEPT).toArray();
    long[] kept = parts.toLongs();
    long[] keptRanks = new long[kept.length / 3];
    Arrays.setAll(keptRanks, i -> kept[3 * i]);
    Arrays.sort(keptRanks);
    assertThat(keptRanks).isEqualTo(ranks);
    assertThat(parts.top(10)).isEqualTo(of(packets).top(10));
  }

  @Example
  void shouldBeExactForFewAndFairForMany() {
    List<Sent> few = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      few.add(new Sent(FixedHash.of(i), i % 4 == 0 ? 1 : 2));
    }
    assertThat(of(few).top(10)).containsExactly(new Share(0, 2, 0.75), new Share(0, 1, 0.25));

    List<Sent> many = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      many.add(new Sent(FixedHash.of(i), i % 4 == 0 ? 1 : 2));
    }
    // Three standard errors of 64 draws.
    assertThat(of(many).top(1).getFirst().share()).isCloseTo(0.75, within(0.17));
    assertThat(of(many).top(1)).hasSize(1);

    List<Sent> strangers = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      strangers.add(new Sent(FixedHash.of(i), i));
    }
    assertThat(of(strangers).top(10)).isEmpty();
  }
}

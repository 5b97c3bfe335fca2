// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;

/** More of anything never needs less, whatever the site. */
class SizingPropertyTest {
  private static final CostTable COSTS = CostTable.read(Pages.ROOT);

  /** Of the reckoned kind: what is bought comes in powers of two and whole pieces. */
  private static List<Double> needs(Sizing sizing) {
    return List.of(
        sizing.work().tapCores(),
        sizing.work().jobCores(),
        (double) sizing.work().coresToBuy(),
        sizing.rings().holdSeconds(),
        sizing.rings().bytes(),
        sizing.state().tableBytes(),
        sizing.state().alertBytes(),
        sizing.state().checkpointBytes(),
        sizing.kafka().bytesPerSecond(),
        sizing.kafka().keptBytes(),
        sizing.kafka().brokerCores(),
        (double) sizing.kafka().partitions(),
        (double) sizing.kafka().disks(),
        (double) sizing.kafka().brokers(),
        sizing.recovery().behindSeconds());
  }

  private static void requireNoLess(Sizing more, Sizing less) {
    for (int i = 0; i < needs(less).size(); i++) {
      assertThat(needs(more).get(i))
          .as("need %d", i)
          .isGreaterThanOrEqualTo(needs(less).get(i) * (1 - 1e-12));
    }
  }

  @Provide
  Arbitrary<Site> sites() {
    Arbitrary<Traffic> traffic =
        Combinators.combine(
                Arbitraries.doubles().between(1e3, 5e7),
                Arbitraries.doubles().between(1, 1e7),
                Arbitraries.doubles().between(0.01, 1).list().ofSize(Function.values().length),
                Arbitraries.integers().between(1, 2_000),
                Arbitraries.doubles().between(1, 10_000))
            .as(
                (rate, flows, parts, rules, oneIn) ->
                    new Traffic(rate, flows, shares(parts), rules, oneIn, 50));
    Arbitrary<Operation> operation =
        Combinators.combine(
                Arbitraries.doubles().between(0.1, 600),
                Arbitraries.doubles().between(0, 300),
                Arbitraries.of(Operation.Release.values()),
                Arbitraries.doubles().between(0.05, 0.95),
                Arbitraries.integers().between(1, 5))
            .as(
                (interval, restart, release, busy, replicas) ->
                    new Operation(
                        interval,
                        restart,
                        Operation.Delivery.EXACTLY_ONCE,
                        release,
                        busy,
                        86_400,
                        replicas));
    return Combinators.combine(Arbitraries.integers().between(1, 200), traffic, operation)
        .as((servers, of, by) -> new Site(servers, of, by, RoundCosts.MACHINE));
  }

  private static Map<Function, Double> shares(List<Double> parts) {
    double sum = parts.stream().mapToDouble(Double::doubleValue).sum();
    Map<Function, Double> shares = new EnumMap<>(Function.class);
    Function[] functions = Function.values();
    for (int i = 0; i < functions.length; i++) {
      shares.put(functions[i], parts.get(i) / sum);
    }
    return shares;
  }

  @Property(tries = 200)
  void shouldNeedNoLessForMorePackets(
      @ForAll("sites") Site site, @ForAll @DoubleRange(min = 1, max = 20) double times) {
    requireNoLess(
        Sizing.of(site.withPacketsPerSecond(times * site.traffic().packetsPerSecond()), COSTS, 1),
        Sizing.of(site, COSTS, 1));
  }

  @Property(tries = 100)
  void shouldNeedNoLessForMoreFlows(
      @ForAll("sites") Site site, @ForAll @DoubleRange(min = 1, max = 20) double times) {
    Traffic traffic = site.traffic();
    Traffic more =
        new Traffic(
            traffic.packetsPerSecond(),
            times * traffic.flows(),
            traffic.shares(),
            traffic.rules(),
            traffic.oneIn(),
            traffic.userNs());
    Sizing less = Sizing.of(site, COSTS, 1);
    Sizing of =
        Sizing.of(new Site(site.servers(), more, site.operation(), site.machine()), COSTS, 1);
    assertThat(of.work().jobCores()).isGreaterThanOrEqualTo(less.work().jobCores());
    assertThat(of.state().tableBytes()).isGreaterThan(less.state().tableBytes() * 0.999);
    assertThat(of.rings().bytes()).isGreaterThanOrEqualTo(less.rings().bytes());
    assertThat(of.recovery().behindSeconds())
        .isGreaterThanOrEqualTo(less.recovery().behindSeconds());
  }

  /** One more core than before may make it shorter at a higher rate, but never this long. */
  @Property(tries = 100)
  void shouldCatchUpAtLeastWithTheTimeThatCoresMustHaveToSpare(@ForAll("sites") Site site) {
    Recovery recovery = Sizing.of(site, COSTS, 1).recovery();
    double busy = site.operation().busy();
    assertThat(recovery.seconds())
        .isGreaterThan(site.operation().restartSeconds())
        .isLessThanOrEqualTo(
            (site.operation().restartSeconds() + recovery.behindSeconds() * busy / (1 - busy))
                * (1 + 1e-12));
  }

  @Property(tries = 100)
  void shouldNeedNoMoreCoresWhereTheyAreFaster(
      @ForAll("sites") Site site, @ForAll @DoubleRange(min = 1, max = 20) double speed) {
    assertThat(Sizing.of(site, COSTS, speed).work().coresToBuy())
        .isLessThanOrEqualTo(Sizing.of(site, COSTS, 1).work().coresToBuy());
  }

  @Property(tries = 100)
  void shouldNeedAsManyTimesAsMuchForAsManyServers(@ForAll("sites") Site site) {
    Site one = new Site(1, site.traffic(), site.operation(), site.machine());
    Sizing ofOne = Sizing.of(one, COSTS, 1);
    Sizing ofAll = Sizing.of(site, COSTS, 1);
    assertThat(ofAll.kafka().keptBytes())
        .isCloseTo(
            site.servers() * ofOne.kafka().keptBytes(), within(1e-9 * ofAll.kafka().keptBytes()));
    assertThat(ofAll.kafka().partitions()).isEqualTo(site.servers() * ofOne.kafka().partitions());
    assertThat(ofAll.work()).extracting(Work::coresToBuy).isEqualTo(ofOne.work().coresToBuy());
    assertThat(ofAll.rings().bytes()).isEqualTo(ofOne.rings().bytes());
    for (int i = 0; i < ofAll.groups().size(); i++) {
      for (Amount amount : ofAll.groups().get(i).amounts()) {
        if (!Double.isNaN(amount.each()) && !Double.isNaN(amount.all())) {
          assertThat(amount.all()).as(amount.name()).isEqualTo(site.servers() * amount.each());
        }
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import static dev.flowstone.plan.RoundCosts.ALL_FUNCTIONS;
import static dev.flowstone.plan.RoundCosts.ALL_PASS;
import static dev.flowstone.plan.RoundCosts.MACHINE;
import static dev.flowstone.plan.RoundCosts.TABLE;
import static dev.flowstone.plan.RoundCosts.sizing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Sums that were worked out by hand; four servers, cores half busy. */
class SizingTest {
  private static final double GIB = 1 << 30;
  private static final double MIB = 1 << 20;

  /** Flow records 16 MB, histograms 84 MB, and what three subtasks may watch for alerts. */
  private static final double CHECKPOINT_BYTES = 100e6 + 3 * 200 * MIB;

  /** At 200 MB/s. */
  private static final double CHECKPOINT_SECONDS = 0.5 + CHECKPOINT_BYTES / 200e6;

  private static Sizing released(Operation.Release release) {
    Operation usual = RoundCosts.OPERATION;
    Operation operation =
        new Operation(
            usual.intervalSeconds(),
            usual.restartSeconds(),
            usual.delivery(),
            release,
            usual.busy(),
            usual.retentionSeconds(),
            usual.replicas());
    return Sizing.of(new Site(4, ALL_FUNCTIONS, operation, MACHINE), TABLE, 1);
  }

  @Test
  void shouldAddUpWhatEachPacketTakes() {
    // read 5, rules 15, pass 20, sample 0.1 x (10 + 40 / 10), records 40, histograms of 100,000
    // flows half of the way from 100 to 300, alerts 0.5
    Work work = sizing(ALL_FUNCTIONS).work();
    assertThat(work.jobNs()).isCloseTo(5 + 15 + 20 + 1.4 + 40 + 20 + 0.5, within(1e-9));
    assertThat(work.jobCores()).isCloseTo(1.019 + 0.1, within(1e-9));
    assertThat(work.tapCores()).isCloseTo(0.5, within(1e-9));
  }

  @Test
  void shouldBuyWholeCoresThatHaveTimeToSpare() {
    Work work = sizing(ALL_FUNCTIONS).work();
    assertThat(work.subtasks()).as("1.119 cores that may be half busy").isEqualTo(3);
    assertThat(work.tapThreads()).isEqualTo(1);
    assertThat(work.coresToBuy()).isEqualTo(4);
    assertThat(sizing(ALL_PASS).work().subtasks()).as("0.45 + 0.1, twice").isEqualTo(2);
  }

  @Test
  void shouldAskRulesOnlyWhereThereAreSome() {
    assertThat(sizing(ALL_PASS).work().jobNs()).isCloseTo(45, within(1e-9));
    Traffic many = new Traffic(10e6, 1e6, ALL_PASS.shares(), 1_000, 100, 0);
    assertThat(sizing(many).work().jobNs()).isCloseTo(45 + 55, within(1e-9));
    Traffic between = new Traffic(10e6, 1e6, ALL_PASS.shares(), 508, 100, 0);
    assertThat(sizing(between).work().jobNs()).isCloseTo(45 + 35, within(1e-9));
  }

  @Test
  void shouldTakeUsersOwnCostsAsTheySay() {
    Traffic own = new Traffic(10e6, 1e6, Map.of(Function.USER, 1.0), 16, 100, 70);
    assertThat(sizing(own).work().jobNs()).isCloseTo(5 + 15 + 70, within(1e-9));
  }

  @Test
  void shouldTakeHalfTheTimeOnCoresTwiceAsFast() {
    Traffic own = new Traffic(10e6, 1e6, Map.of(Function.USER, 1.0), 16, 100, 70);
    Work fast = Sizing.of(RoundCosts.site(own), TABLE, 2).work();
    assertThat(fast.jobNs()).isCloseTo(45, within(1e-9));
    assertThat(fast.tapCores()).isCloseTo(0.25, within(1e-9));
  }

  @Test
  void shouldHoldInRingsWhatComesUntilTheFirstCheckpointAfterARestart() {
    assertThat(sizing(ALL_FUNCTIONS).state().checkpointSeconds())
        .isCloseTo(CHECKPOINT_SECONDS, within(1e-9));
    Rings rings = sizing(ALL_FUNCTIONS).rings();
    double holdSeconds = 2 * (10 + CHECKPOINT_SECONDS) + 10;
    assertThat(rings.holdSeconds()).isCloseTo(holdSeconds, within(1e-9));
    assertThat(rings.bytes()).isCloseTo(64 * 10e6 * holdSeconds, within(1.0));
    assertThat(rings.count()).isEqualTo(3);
    assertThat(rings.bytesToMake()).isEqualTo(8 * GIB);
    assertThat(rings.fileBytes()).isEqualTo(8 * GIB + 65_536);
    assertThat(rings.roomBytes()).as("old and new").isEqualTo(2 * 3 * (8 * GIB + 65_536));
  }

  @Test
  void shouldHoldLessWhereSpaceIsGivenBackSooner() {
    assertThat(released(Operation.Release.OBSERVING).rings().holdSeconds())
        .isCloseTo(10 + CHECKPOINT_SECONDS + 10, within(1e-9));
    assertThat(released(Operation.Release.ON_READ).rings().holdSeconds())
        .isCloseTo(10, within(1e-9));
  }

  @Test
  void shouldKeepFlowsOfTheFunctionsThatKeepThem() {
    FlowState state = sizing(ALL_FUNCTIONS).state();
    assertThat(state.tableBytes()).isCloseTo(200e3 * 120 + 100e3 * 1_000, within(1e-3));
    assertThat(state.checkpointBytes()).isCloseTo(CHECKPOINT_BYTES, within(1e-3));
    assertThat(state.alertBytes()).isEqualTo(3 * 200 * MIB);
    assertThat(state.mostFlows()).as("1.25 x 200,000 / 3").isEqualTo(83_334);
    assertThat(sizing(ALL_PASS).state().tableBytes()).isZero();
    assertThat(sizing(ALL_PASS).state().alertBytes()).isZero();
  }

  @Test
  void shouldAddUpMemory() {
    assertThat(sizing(ALL_FUNCTIONS).memory().bytes())
        .isCloseTo(
            (100 + 1_000 + 3 * 50 + 3 * 200) * MIB + 124e6 + 48 * GIB + 6 * 65_536, within(1.0));
  }

  @Test
  void shouldAddUpWhatKafkaGets() {
    Kafka kafka = sizing(ALL_FUNCTIONS).kafka();
    assertThat(kafka.inMessage()).isEqualTo(16_000);
    assertThat(kafka.packetBytesPerSecond()).isCloseTo(50e6 + 4e6, within(1e-3));
    assertThat(kafka.resultBytesPerSecond()).isCloseTo(4e6 + 7e6, within(1e-3));
    assertThat(kafka.writtenPerSecond()).isCloseTo(4 * 3 * 65e6, within(1e-3));
    assertThat(kafka.keptBytes()).isCloseTo(780e9, within(1.0));
    assertThat(kafka.disks()).as("780 MB/s at 200 MB/s").isEqualTo(4);
    assertThat(kafka.brokerCores()).isCloseTo(1.56 + 7 * 0.01, within(1e-9));
    assertThat(kafka.brokers()).as("6.24 Gbit/s at 1 Gbit/s").isEqualTo(7);
    assertThat(kafka.partitions()).isEqualTo(12);
  }

  @Test
  void shouldHaveMoreBytesForEachPacketInSmallMessages() {
    // 4,000 packets/s to one ring: 200 in 50 ms
    assertThat(sizing(ALL_PASS.withPacketsPerSecond(4_000)).kafka().bytesOfPassed())
        .isCloseTo(20, within(1e-9));
    assertThat(sizing(ALL_PASS.withPacketsPerSecond(400)).kafka().bytesOfPassed())
        .isCloseTo(40, within(1e-9));
    assertThat(sizing(ALL_PASS.withPacketsPerSecond(4)).kafka().bytesOfPassed())
        .isCloseTo(40, within(1e-9));
  }

  @Test
  void shouldBuyDisksForWhatIsKeptAndForEachReplica() {
    Operation week =
        new Operation(
            10,
            10,
            Operation.Delivery.AT_LEAST_ONCE,
            Operation.Release.ON_CHECKPOINT,
            0.5,
            604_800,
            3);
    Sizing kept = Sizing.of(new Site(4, ALL_FUNCTIONS, week, MACHINE), TABLE, 1);
    assertThat(kept.kafka().disks()).as("471.7 TB on disks of 1 TB").isEqualTo(472);
    Sizing quiet = sizing(ALL_PASS.withPacketsPerSecond(4_000));
    assertThat(kept.kafka().visibleSeconds()).isEqualTo(0.05);
    assertThat(quiet.kafka().visibleSeconds()).isCloseTo(10 + 0.5 + 0.05, within(1e-9));
    assertThat(quiet.kafka().disks()).isEqualTo(3);
    assertThat(quiet.kafka().brokers()).isEqualTo(3);
  }

  @Test
  void shouldCatchUpWithTheTimeThatCoresHaveToSpare() {
    // 1.119 of three cores are at work, though they may be half busy
    double behindSeconds = 10 + CHECKPOINT_SECONDS + 10;
    assertThat(sizing(ALL_FUNCTIONS).recovery().seconds())
        .isCloseTo(10 + behindSeconds * 1.119 / (3 - 1.119), within(1e-9));
  }

  @Test
  void shouldSayWhatASubtaskTakesOfOneFlow() {
    // read 5, rules 15, histograms 200; or flow records as much
    assertThat(sizing(ALL_FUNCTIONS).work().largestFlowPacketsPerSecond())
        .isCloseTo(1e9 / (5 + 15 + 200), within(1e-3));
    assertThat(sizing(ALL_PASS).work().largestFlowPacketsPerSecond())
        .isCloseTo(1e9 / (5 + 40), within(1e-3));
    Traffic dropped = new Traffic(10e6, 1e6, Map.of(Function.DROP, 1.0), 16, 100, 0);
    assertThat(sizing(dropped).work().largestFlowPacketsPerSecond())
        .isCloseTo(1e9 / (5 + 15), within(1e-3));
    assertThat(how(ALL_PASS, "largest flow")).contains("for read from rings, pass: ");
  }

  @Test
  void shouldCommitThreeSinksByRulesAndOneWithout() {
    assertThat(each(ALL_FUNCTIONS, "transactions")).isCloseTo(3 * 3 / 10.0, within(1e-9));
    assertThat(each(ALL_PASS, "transactions")).isCloseTo(2 / 10.0, within(1e-9));
    assertThat(each(ALL_PASS, "transactional IDs")).isCloseTo(7 * 86_400 * 2 / 10.0, within(1e-6));
  }

  private static double each(Traffic traffic, String name) {
    return amount(traffic, name).each();
  }

  private static String how(Traffic traffic, String name) {
    return amount(traffic, name).how();
  }

  private static Amount amount(Traffic traffic, String name) {
    return sizing(traffic).groups().stream()
        .flatMap(group -> group.amounts().stream())
        .filter(amount -> amount.name().equals(name))
        .findAny()
        .orElseThrow();
  }
}

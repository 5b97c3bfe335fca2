// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

class LimitCheckTest {
  private static List<LimitCheck> checks(Traffic traffic, Machine machine) {
    Site site = new Site(4, traffic, RoundCosts.OPERATION, machine);
    return LimitCheck.of(Sizing.of(site, RoundCosts.TABLE, 1), RoundCosts.TABLE, 1);
  }

  private static LimitCheck named(String name, List<LimitCheck> checks) {
    return checks.stream().filter(each -> each.limit().name().equals(name)).findAny().orElseThrow();
  }

  @Test
  void shouldFindTheRateUpToWhichALimitHolds() {
    List<LimitCheck> checks = checks(RoundCosts.ALL_PASS, RoundCosts.MACHINE);
    // A record into a ring takes 10 ns.
    assertThat(named("rings of one tap", checks).mostPacketsPerSecond())
        .isCloseTo(100e6, within(1e6));
    // 10 bytes a packet.
    assertThat(named("uplink of a server", checks).mostPacketsPerSecond())
        .isCloseTo(12.5e6, within(0.125e6));
    // Rings of 32 GiB in all at most, which 2 x 10.5 s + 10 s fill: there is room for 64.
    double most = named("/dev/shm of a server", checks).mostPacketsPerSecond();
    assertThat(most).isLessThan(32.0 * (1 << 30) / 64 / 31);
  }

  @Test
  void shouldNameFirstWhatBreaksFirst() {
    List<LimitCheck> checks = checks(RoundCosts.ALL_FUNCTIONS, RoundCosts.MACHINE);
    assertThat(checks)
        .isSortedAccordingTo(Comparator.comparingDouble(LimitCheck::mostPacketsPerSecond));
    assertThat(checks).hasSize(8).allMatch(LimitCheck::fits);
  }

  @Test
  void shouldSayWhatDoesNotFit() {
    Machine small = new Machine(3, 128L << 30, 1e9, 200e6, 1e12);
    List<LimitCheck> checks = checks(RoundCosts.ALL_FUNCTIONS, small);
    assertThat(checks).filteredOn(check -> !check.fits()).hasSize(1);
    LimitCheck cores = named("cores of a server", checks);
    assertThat(cores.fits()).isFalse();
    assertThat(cores.mostPacketsPerSecond()).isLessThan(10e6).isGreaterThan(1e6);
  }

  @Test
  void shouldSayThatNoRateFitsWhereFlowsAloneAreTooMany() {
    Traffic many = new Traffic(10e6, 1e9, RoundCosts.ALL_FUNCTIONS.shares(), 16, 10, 0);
    LimitCheck checkpoint = named("checkpoint in its interval", checks(many, RoundCosts.MACHINE));
    assertThat(checkpoint.fits()).isFalse();
    assertThat(checkpoint.mostPacketsPerSecond()).isZero();
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import java.util.List;

/** What a failure of one server's job costs: time, and with rings that are large enough nothing. */
record Recovery(Site site, Work work, FlowState state) {
  /** From the latest checkpoint to the moment at which packets are read again, at most. */
  double behindSeconds() {
    return site.operation().intervalSeconds()
        + state.checkpointSeconds()
        + site.operation().restartSeconds();
  }

  private double catchUpSeconds() {
    return behindSeconds() * work.load() / (1 - work.load());
  }

  double seconds() {
    return site.operation().restartSeconds() + catchUpSeconds();
  }

  Group group() {
    double rate = site.traffic().packetsPerSecond();
    return new Group(
        "recovery",
        List.of(
            Amount.ofEach(
                "reads again after",
                site.operation().restartSeconds(),
                Unit.SECONDS,
                "a restart of the job"),
            Amount.ofEach(
                "packets to read again",
                rate * behindSeconds(),
                Unit.PACKETS,
                "%s x (interval + duration + restart = %s), at most"
                    .formatted(Unit.PACKETS_PER_SECOND.of(rate), Unit.SECONDS.of(behindSeconds()))),
            Amount.ofEach(
                "caught up after",
                seconds(),
                Unit.SECONDS,
                "restart + %s x %s / (1 - %s): by the load of the job's cores, %s of %d"
                    .formatted(
                        Unit.SECONDS.of(behindSeconds()),
                        Unit.digits(work.load()),
                        Unit.digits(work.load()),
                        Unit.digits(work.jobCores()),
                        work.subtasks()))));
  }
}

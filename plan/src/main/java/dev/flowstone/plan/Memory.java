// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import static dev.flowstone.plan.Cost.JOB_MEMORY;
import static dev.flowstone.plan.Cost.JOB_SUBTASK;
import static dev.flowstone.plan.Cost.TAP_MEMORY;

import java.util.List;

/** The memory of one server. */
record Memory(Site site, CostTable costs, Work work, FlowState state, Rings rings) {
  private static final double MIB = 1 << 20;

  private double tapBytes() {
    return costs.of(TAP_MEMORY) * MIB * work.tapThreads();
  }

  private double jobBytes() {
    return (costs.of(JOB_MEMORY) + costs.of(JOB_SUBTASK) * work.subtasks()) * MIB
        + state.tableBytes()
        + state.alertBytes();
  }

  double bytes() {
    return tapBytes() + jobBytes() + rings.roomBytes();
  }

  Group group() {
    return new Group(
        "memory",
        List.of(
            amount(
                "tap",
                tapBytes(),
                "%d x %s MiB, one for each thread"
                    .formatted(work.tapThreads(), Unit.digits(costs.of(TAP_MEMORY)))),
            amount(
                "job",
                jobBytes(),
                "%s MiB + %d x %s MiB for subtasks%s"
                    .formatted(
                        Unit.digits(costs.of(JOB_MEMORY)),
                        work.subtasks(),
                        Unit.digits(costs.of(JOB_SUBTASK)),
                        state.tableBytes() + state.alertBytes() > 0
                            ? " + what is kept of flows"
                            : "")),
            amount("with rings", bytes(), "tap, job and room in /dev/shm")));
  }

  private Amount amount(String name, double bytes, String how) {
    return Amount.ofServers(name, bytes, site.servers(), Unit.MEMORY, how);
  }
}

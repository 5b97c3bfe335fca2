// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import java.util.List;

/** All that a site needs. */
record Sizing(
    Site site,
    Work work,
    FlowState state,
    Rings rings,
    Memory memory,
    Kafka kafka,
    Recovery recovery) {
  /**
   * What this site needs by these costs.
   *
   * @param speed how many times as fast as the costs' machine a core is
   */
  static Sizing of(Site site, CostTable costs, double speed) {
    CostTable here = costs.faster(speed);
    Work work = new Work(site, here, speed);
    FlowState state = new FlowState(site, here, work);
    Rings rings = new Rings(site, work, state);
    return new Sizing(
        site,
        work,
        state,
        rings,
        new Memory(site, here, work, state, rings),
        new Kafka(site, here, work, state),
        new Recovery(site, work, state));
  }

  /** The same site at another rate. */
  Sizing at(double packetsPerSecond, CostTable costs, double speed) {
    return of(site.withPacketsPerSecond(packetsPerSecond), costs, speed);
  }

  List<Group> groups() {
    return List.of(
        work.group(),
        rings.group(),
        state.group(),
        memory.group(),
        kafka.group(),
        recovery.group());
  }
}

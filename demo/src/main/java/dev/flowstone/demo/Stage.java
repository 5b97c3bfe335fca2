// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * One row of the table: what went into a stage, what waits there, what left it, and what it
 * dropped.
 *
 * @param out empty: nothing leaves it
 * @param space share of a ring that is taken
 * @param isBrief whether one line of all has it, too, when it has dropped nothing
 */
record Stage(
    String name,
    long in,
    OptionalLong queued,
    OptionalLong out,
    List<Drop> drops,
    OptionalDouble space,
    boolean isBrief) {

  /** Packets dropped for one reason. */
  record Drop(String reason, long packets) {}

  static Stage of(String name, long in, long out) {
    return new Stage(
        name,
        in,
        OptionalLong.empty(),
        OptionalLong.of(out),
        List.of(),
        OptionalDouble.empty(),
        true);
  }

  /** A stage that nothing leaves. */
  static Stage end(String name, long in) {
    return new Stage(
        name,
        in,
        OptionalLong.empty(),
        OptionalLong.empty(),
        List.of(),
        OptionalDouble.empty(),
        true);
  }

  Stage queued(long packets) {
    return new Stage(name, in, OptionalLong.of(packets), out, drops, space, isBrief);
  }

  Stage notQueued() {
    return new Stage(name, in, OptionalLong.empty(), out, drops, space, isBrief);
  }

  Stage dropped(List<Drop> byReason) {
    return new Stage(name, in, queued, out, byReason, space, isBrief);
  }

  Stage space(double share) {
    return new Stage(name, in, queued, out, drops, OptionalDouble.of(share), isBrief);
  }

  /** One that tells little more than its neighbours. */
  Stage detail() {
    return new Stage(name, in, queued, out, drops, space, false);
  }

  long dropped() {
    return drops.stream().mapToLong(Drop::packets).sum();
  }

  /** The reasons that occurred, each with its number; 0 when none did, nothing when none can. */
  String dropText() {
    if (drops.isEmpty()) {
      return "";
    }
    return dropped() == 0
        ? "0"
        : drops.stream()
            .filter(drop -> drop.packets() > 0)
            .map(drop -> String.format(Locale.ROOT, "%,d %s", drop.packets(), drop.reason()))
            .collect(Collectors.joining(", "));
  }
}

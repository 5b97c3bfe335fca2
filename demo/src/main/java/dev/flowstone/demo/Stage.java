// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * One row of the table: what went into a stage, what waits there, what left it, and what it
 * dropped.
 *
 * @param space share of a ring that is taken
 */
record Stage(
    String name,
    long in,
    OptionalLong queued,
    long out,
    long dropped,
    String dropReason,
    OptionalDouble space) {

  static Stage of(String name, long in, long out) {
    return new Stage(name, in, OptionalLong.empty(), out, 0, "", OptionalDouble.empty());
  }

  Stage queued(long packets) {
    return new Stage(name, in, OptionalLong.of(packets), out, dropped, dropReason, space);
  }

  Stage dropped(long packets, String reason) {
    return new Stage(name, in, queued, out, packets, reason, space);
  }

  Stage space(double share) {
    return new Stage(name, in, queued, out, dropped, dropReason, OptionalDouble.of(share));
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

/**
 * One line of a plan.
 *
 * @param each for one server
 * @param all for all of them; not a number where it makes no sense to add it up, or to divide it
 * @param how it was reckoned, in words and numbers that can be checked
 */
record Amount(String name, double each, double all, Unit unit, String how) {
  /** One that each server has, and all together as many times. */
  static Amount ofServers(String name, double each, int servers, Unit unit, String how) {
    return new Amount(name, each, each * servers, unit, how);
  }

  /** One that no number of servers changes. */
  static Amount ofEach(String name, double each, Unit unit, String how) {
    return new Amount(name, each, Double.NaN, unit, how);
  }

  /** One that only all servers together have. */
  static Amount ofAll(String name, double all, Unit unit, String how) {
    return new Amount(name, Double.NaN, all, unit, how);
  }
}

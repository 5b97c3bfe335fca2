// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import java.util.Map;

/**
 * What comes to each server, and what becomes of it.
 *
 * @param packetsPerSecond that come to one server
 * @param flows that are alive there at a time, each what one side sends
 * @param shares of the packets that each function has, 1 in all
 * @param rules that each packet is held against; 0: there are none
 * @param oneIn how many packets a sampled one stands for
 * @param userNs that a user's own function takes for a packet, on the machine of the costs
 */
record Traffic(
    double packetsPerSecond,
    double flows,
    Map<Function, Double> shares,
    int rules,
    double oneIn,
    double userNs) {
  double share(Function function) {
    return shares.getOrDefault(function, 0.0);
  }

  /** Those whose packets this function has: a rule has whole flows, as a rule. */
  double flowsOf(Function function) {
    return flows * share(function);
  }

  boolean has(Function function) {
    return share(function) > 0;
  }

  Traffic withPacketsPerSecond(double value) {
    return new Traffic(value, flows, shares, rules, oneIn, userNs);
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

/** What is asked for: servers that are alike, each with a tap and a job of its own. */
record Site(int servers, Traffic traffic, Operation operation, Machine machine) {
  Site withPacketsPerSecond(double value) {
    return new Site(servers, traffic.withPacketsPerSecond(value), operation, machine);
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

/** What {@link FlowExchange#NEVER} asks of a source, for tests of its parts. */
public final class ChainedByFlow {
  private ChainedByFlow() {}

  public static void require(FpgaSourceBuilder source) {
    source.requireOwnKeyGroups(true);
  }
}

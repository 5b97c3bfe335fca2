// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.StreamNumber;

/**
 * Where the packets of a batch come from and what they stand for: what the encoder cannot see in
 * the records.
 *
 * @param stream names the ring the packets came from, see {@link StreamNumber}
 * @param incarnation incarnation of that ring
 * @param firstPosition ring position of the first record handed to the encoder (selected or not)
 * @param timeBaseNs UTC nanoseconds within 2^31 ns of every packet
 * @param clockTrusted whether the times are real
 * @param lossBefore packets of this stream lost between the previous batch and this one
 * @param rule place of the rule that chose the packets, 1 to 65535; 0 none
 * @param samplingWeight how many packets each packet stands for; 1 when nothing was sampled
 */
public record BatchOrigin(
    long stream,
    long incarnation,
    long firstPosition,
    long timeBaseNs,
    boolean clockTrusted,
    PacketLoss lossBefore,
    int rule,
    int samplingWeight) {

  public BatchOrigin {
    if (rule < 0 || rule > 0xffff) {
      throw new IllegalArgumentException("rule must be 0 to 65535: rule=" + rule);
    }
    if (samplingWeight < 1) {
      throw new IllegalArgumentException(
          "samplingWeight must be 1 or more: samplingWeight=" + samplingWeight);
    }
  }
}

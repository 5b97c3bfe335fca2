// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

/**
 * Where the packets of a batch come from and what they stand for: what the encoder cannot see in
 * the records.
 *
 * @param ring ring the packets came from, 0 to 65535
 * @param incarnation incarnation of that ring
 * @param firstPosition ring position of the first record handed to the encoder (selected or not)
 * @param timeBaseNs UTC nanoseconds within 2^31 ns of every packet
 * @param clockTrusted whether the times are real
 * @param lostBefore packets of this ring lost between the previous batch and this one
 * @param rule rule that chose the packets, 0 to 65535; 0 none
 * @param samplingWeight how many packets each packet stands for; 1 when nothing was sampled
 */
public record BatchOrigin(
    int ring,
    long incarnation,
    long firstPosition,
    long timeBaseNs,
    boolean clockTrusted,
    long lostBefore,
    int rule,
    int samplingWeight) {

  public BatchOrigin {
    requireUnsignedShort("ring", ring);
    requireUnsignedShort("rule", rule);
    if (samplingWeight < 1) {
      throw new IllegalArgumentException(
          "samplingWeight must be 1 or more: samplingWeight=" + samplingWeight);
    }
  }

  private static void requireUnsignedShort(String name, int value) {
    if (value < 0 || value > 0xffff) {
      throw new IllegalArgumentException(name + " must be 0 to 65535: " + name + "=" + value);
    }
  }
}

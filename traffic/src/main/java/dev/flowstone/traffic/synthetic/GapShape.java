// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

/** How the gaps between packets are spread round their mean. */
public enum GapShape {
  /** As independent senders make them. */
  EXPONENTIAL,
  /** All alike, as a hardware traffic generator sends. */
  CONSTANT
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

/** A tap, and what carries its packets to another one. */
record RunningTaps(RunningTap tap, TwoEnds ends) {

  /** What they tell now. */
  TapMetrics metrics() throws Exception {
    return new TapMetrics(tap.metrics(), ends.sender().metrics(), ends.receiver().metrics());
  }

  /**
   * What they told Prometheus.
   *
   * @param tap the one that fills rings with packets
   */
  record TapMetrics(String tap, String sender, String receiver) {

    /** A receiver has no rings before it has heard of the sender. */
    boolean isComplete() {
      return receiver.contains("flowstone_receive_packets_total{");
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

/** A tap, what carries its packets to another one, and a tap of a card. */
record RunningTaps(RunningTap tap, TwoEnds ends, RunningTap card) {

  /** What they tell now. */
  TapMetrics metrics() throws Exception {
    return new TapMetrics(
        tap.metrics(), ends.sender().metrics(), ends.receiver().metrics(), card.metrics());
  }

  /**
   * What they told Prometheus.
   *
   * @param tap the one that fills rings with packets
   */
  record TapMetrics(String tap, String sender, String receiver, String card) {

    /**
     * A receiver has no rings before it has heard of the sender, nor a card before it has begun.
     */
    boolean isComplete() {
      return receiver.contains("flowstone_receive_packets_total{")
          && card.contains("flowstone_card_pump_packets_total{")
          && card.contains("flowstone_card_ring_offered_packets_total{")
          && card.contains("flowstone_card_source_sent_packets_total{");
    }
  }
}

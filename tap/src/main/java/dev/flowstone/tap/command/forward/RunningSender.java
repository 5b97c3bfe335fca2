// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.forward;

import dev.flowstone.tap.forward.ForwardCounters;
import dev.flowstone.tap.forward.Forwarder;
import dev.flowstone.tap.forward.UdpOutput;

/**
 * A sender at work, for those who look on from other threads: display, metrics, whoever asks.
 *
 * @param to where it sends
 * @param reader by which name it reads
 */
record RunningSender(String to, String reader, UdpOutput output, Forwarder forwarder) {

  private ForwardCounters counters() {
    return new ForwardCounters(
        forwarder.counters(),
        output.datagrams(),
        output.bytes(),
        output.unsent(),
        output.unreachable());
  }

  ForwardReport report(boolean ended) {
    return new ForwardReport(counters(), ended);
  }

  String metrics() {
    return ForwardMetrics.text(to, reader, counters());
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.forward;

import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.tap.SocketAddresses;
import dev.flowstone.tap.command.run.FilledRings;
import dev.flowstone.tap.receive.Receiver;
import dev.flowstone.tap.receive.Reception;
import dev.flowstone.tap.receive.UdpInput;
import java.util.List;

/** A receiver at work, for those who look on from other threads: display, metrics, whoever asks. */
record RunningReceiver(UdpInput input, Reception reception, Receiver receiver, FilledRings rings) {

  ReceiveReport report(boolean ended) {
    List<RingCounters> counters = rings.counters();
    return new ReceiveReport(reception.counters(), counters, ended);
  }

  String metrics() {
    return rings.read(
        files ->
            ReceiveMetrics.text(
                SocketAddresses.text(input.address()), input.bufferBytes(), report(false), files));
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.broker.process.BrokerProcess;
import java.io.IOException;

/** What runs while packets flow, in their order. */
record Stages(
    TapProcess tap,
    RingView rings,
    DemoFlink flink,
    BrokerProcess broker,
    ResultStore store,
    FarEnd farEnd) {

  DemoCounters counters() throws IOException, InterruptedException {
    return DemoCounters.read(tap, rings, farEnd, store.isThere());
  }

  /** Without them the job would wait for ever and the rings run full, or nobody would count. */
  void requireFarEnd() throws IOException {
    broker.requireRunning();
    store.requireRunning();
    farEnd.requireAlive();
  }
}

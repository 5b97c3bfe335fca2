// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.source;

import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.tap.TapLoop;
import java.util.List;
import java.util.stream.IntStream;

/** A tap at work, for those who look on from other threads: display, metrics, whoever asks. */
record RunningTap(String name, WatchedSources sources, TapLoop loop, RingSetWriter rings) {

  List<RingFile> files() {
    return IntStream.range(0, rings.ringCount()).mapToObj(rings::ringFile).toList();
  }

  TapReport report() {
    return TapReport.whileRunning(this);
  }

  String metrics() {
    return TapMetrics.text(name, report(), files());
  }
}

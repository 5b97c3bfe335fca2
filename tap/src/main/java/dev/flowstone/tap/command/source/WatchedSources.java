// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.source;

import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.SourceCounters;
import java.util.List;

/**
 * The sources of one tap, of one clock, each filled by a thread of its own. Whoever made it closes
 * it and them.
 */
record WatchedSources(List<WatchedSource> all) implements AutoCloseable {

  static WatchedSources of(List<? extends PacketSource> sources) {
    return new WatchedSources(sources.stream().map(WatchedSource::new).toList());
  }

  /** The counters of each after its latest batch; any thread may ask. */
  List<SourceCounters> latest() {
    return all.stream().map(WatchedSource::latest).toList();
  }

  /** For when nobody fills batches any more. */
  List<SourceCounters> counters() {
    return all.stream().map(PacketSource::counters).toList();
  }

  int clock() {
    return all.getFirst().clock();
  }

  double progress() {
    return all.getFirst().progress();
  }

  @Override
  public void close() {
    all.forEach(PacketSource::close);
  }
}

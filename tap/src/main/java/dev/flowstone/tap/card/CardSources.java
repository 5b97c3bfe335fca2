// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.offheap.xrt.XrtDevice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What stands in for the cables of a card that has none: a source for each port, all started and
 * stopped together. Empty where frames come over cables, or nobody says what is to be sent. The
 * card closes them. One thread.
 */
final class CardSources {
  static final List<String> NAMES =
      List.of("ht_pcapsrc:{ht_pcapsrc_0}", "ht_pcapsrc:{ht_pcapsrc_1}");

  private final List<CardSource> all = new ArrayList<>();

  void add(CardSource source) {
    all.add(source);
  }

  List<CardSource> all() {
    return all;
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  /** Whether one is at work that a former process started; see {@link CardKernel#isIdle}. */
  boolean isOneRunning() {
    return all.stream().anyMatch(source -> !source.kernel().isIdle());
  }

  /** Puts what they are to send into the card's memory; none of them runs. */
  void load(XrtDevice device) {
    all.forEach(source -> source.load(device));
  }

  /** Sends; their ports run. */
  void start() {
    all.forEach(CardSource::start);
  }

  /** Whether there are some, and they send nothing more. */
  boolean haveEnded() {
    return !all.isEmpty() && all.stream().allMatch(CardSource::hasEnded);
  }

  /** They send nothing more; false: one goes on after that time. */
  boolean stop(Duration limit) {
    all.forEach(CardSource::askToStop);
    return all.stream().allMatch(source -> source.awaitEnd(limit));
  }

  /** Gives back their runs and memory; they have ended. */
  void release() {
    all.forEach(CardSource::release);
  }

  List<CardSourceCounters> counters() {
    return all.stream().map(CardSource::counters).toList();
  }
}

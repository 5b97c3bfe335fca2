// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.pane;

import dev.flowstone.results.RuleTag;
import dev.flowstone.rules.function.Anomaly;
import dev.flowstone.rules.function.Detector;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The detectors of a rule, and which of them may ask for a packet: one look into a table tells by
 * protocol and TCP flags, and for most packets that is none. Immutable.
 */
final class RuleWatches {
  private static final int OTHERS = 1 << Byte.SIZE;

  private final Watch[] watches;
  private final boolean wantHandshakes;

  /** By {@link #index}: a bit for each watch. 16 bits, as a rule has at most so many. */
  private final short[] asked = new short[2 * OTHERS];

  RuleWatches(long ruleId, RuleTag rule, Anomaly anomaly) {
    List<Detector> detectors = anomaly.detectors();
    Map<Detector.Kind, Integer> ofKind = new EnumMap<>(Detector.Kind.class);
    watches = new Watch[detectors.size()];
    for (int i = 0; i < watches.length; i++) {
      Detector.Kind kind = detectors.get(i).kind();
      String name = Watch.name(kind, ofKind.merge(kind, 1, Integer::sum));
      watches[i] = new Watch(ruleId, rule, i, name, detectors.get(i));
      ask(watches[i], i);
    }
    wantHandshakes = Arrays.stream(watches).anyMatch(Watch::wantsHandshakes);
  }

  private void ask(Watch watch, int bit) {
    for (int i = 0; i < OTHERS; i++) {
      if (watch.asksFor(Watch.TCP, i) || (watch.wantsHandshakes() && Watch.mayComplete(i))) {
        asked[index(Watch.TCP, i)] |= (short) (1 << bit);
      }
      if (i != Watch.TCP && watch.asksFor(i, 0)) {
        asked[index(i, 0)] |= (short) (1 << bit);
      }
    }
  }

  /** Of a packet that is no IP neither protocol nor flags are set, and nobody asks for those. */
  static int index(int protocol, int tcpFlags) {
    return protocol == Watch.TCP ? tcpFlags : OTHERS | protocol;
  }

  /** See {@link #index}. */
  short[] asked() {
    return asked;
  }

  boolean wantHandshakes() {
    return wantHandshakes;
  }

  Watch watch(int bit) {
    return watches[bit];
  }
}

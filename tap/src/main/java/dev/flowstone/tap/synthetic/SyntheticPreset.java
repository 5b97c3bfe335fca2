// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Traffic known by name. The esnet names give the IP packet size and the rate; a frame has 14 bytes
 * of Ethernet header more.
 */
public record SyntheticPreset(String name, SyntheticOptions options) {
  public static final List<SyntheticPreset> ALL =
      List.of(
          new SyntheticPreset("mix", SyntheticOptions.DEFAULT),
          new SyntheticPreset("esnet-1500-812k", fixed(1514, 812_000)),
          new SyntheticPreset("esnet-1500-8127k", fixed(1514, 8_127_000)),
          new SyntheticPreset("esnet-9000-138k", fixed(9014, 138_000)),
          new SyntheticPreset("esnet-9000-1383k", fixed(9014, 1_383_000)),
          new SyntheticPreset("syn-flood", SyntheticOptions.DEFAULT.withFlood(SynFlood.DEFAULT)));

  public static SyntheticPreset named(String name) {
    String wanted = name.toLowerCase(Locale.ROOT);
    return ALL.stream()
        .filter(preset -> preset.name.equals(wanted))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no synthetic traffic named '" + name + "'; there is " + names()));
  }

  private static String names() {
    return ALL.stream().map(SyntheticPreset::name).collect(Collectors.joining(", "));
  }

  private static SyntheticOptions fixed(int frameBytes, long packetsPerSecond) {
    return SyntheticOptions.DEFAULT
        .withFrameBytes(frameBytes)
        .withPacketsPerSecond(packetsPerSecond);
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Traffic known by name. The esnet names give the IP packet size and the rate; a frame has 14 bytes
 * of Ethernet header more.
 */
@SuppressWarnings("ImmutableEnumChecker") // a record of immutable parts
public enum SyntheticPreset {
  MIX("mix", SyntheticOptions.DEFAULT),
  ESNET_1500_812K("esnet-1500-812k", fixed(1514, 812_000)),
  ESNET_1500_8127K("esnet-1500-8127k", fixed(1514, 8_127_000)),
  ESNET_9000_138K("esnet-9000-138k", fixed(9014, 138_000)),
  ESNET_9000_1383K("esnet-9000-1383k", fixed(9014, 1_383_000)),
  SYN_FLOOD("syn-flood", SyntheticOptions.DEFAULT.withFlood(SynFlood.DEFAULT));

  private final String presetName;
  private final SyntheticOptions options;

  SyntheticPreset(String presetName, SyntheticOptions options) {
    this.presetName = presetName;
    this.options = options;
  }

  public String presetName() {
    return presetName;
  }

  public SyntheticOptions options() {
    return options;
  }

  public static SyntheticPreset named(String name) {
    String wanted = name.toLowerCase(Locale.ROOT);
    return Arrays.stream(values())
        .filter(preset -> preset.presetName.equals(wanted))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no synthetic traffic named '" + name + "'; there is " + names()));
  }

  private static String names() {
    return Arrays.stream(values())
        .map(SyntheticPreset::presetName)
        .collect(Collectors.joining(", "));
  }

  private static SyntheticOptions fixed(int frameBytes, long packetsPerSecond) {
    return SyntheticOptions.DEFAULT
        .withFrameBytes(frameBytes)
        .withPacketsPerSecond(packetsPerSecond);
  }
}

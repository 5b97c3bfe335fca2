// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.raw.PacketSource;
import dev.flowstone.tap.resample.ResampleOptions;
import dev.flowstone.tap.resample.ResampleSource;
import dev.flowstone.traffic.synthetic.SyntheticOptions;
import dev.flowstone.traffic.synthetic.SyntheticSource;
import java.util.Locale;

/** What the packets of a benchmark are like. */
enum Mix {
  /** Made up, with what makes traffic of a backbone hard to pack. */
  BACKBONE {
    @Override
    PacketSource open(long packets, int links) {
      SyntheticOptions one = SyntheticOptions.preset("backbone");
      return new SyntheticSource(
          one.withPackets(packets)
              .withFlows(one.flows() * links)
              .withPacketsPerSecond(one.packetsPerSecond() * links));
    }
  },

  /** Real flows, each many times with addresses of its own. */
  RESAMPLED {
    @Override
    PacketSource open(long packets, int links) {
      ResampleOptions one = ResampleOptions.of(Captures.mixed());
      return new ResampleSource(
          one.withPackets(packets).withPacketsPerSecond(one.packetsPerSecond() * links));
    }

    @Override
    String describe() {
      return this + ", " + Captures.describe();
    }
  };

  /** That many packets, then the end. */
  PacketSource open(long packets) {
    return open(packets, 1);
  }

  /**
   * The same of so many links together: as many times the packets per second and the flows that
   * live at a time.
   */
  abstract PacketSource open(long packets, int links);

  /** With all that makes its figures comparable to another run's. */
  String describe() {
    return toString();
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

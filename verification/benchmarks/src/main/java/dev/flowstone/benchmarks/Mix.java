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
    PacketSource open(long packets) {
      return new SyntheticSource(SyntheticOptions.preset("backbone").withPackets(packets));
    }
  },

  /** Real flows, each many times with addresses of its own. */
  RESAMPLED {
    @Override
    PacketSource open(long packets) {
      return new ResampleSource(ResampleOptions.of(Captures.mixed()).withPackets(packets));
    }

    @Override
    String describe() {
      return this + ", " + Captures.describe();
    }
  };

  /** That many packets, then the end. */
  abstract PacketSource open(long packets);

  /** With all that makes its figures comparable to another run's. */
  String describe() {
    return toString();
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

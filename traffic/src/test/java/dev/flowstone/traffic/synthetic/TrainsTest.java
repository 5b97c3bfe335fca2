// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TrainsTest {
  private static final int FLOWS = 50;
  private static final int TRAINS = 100_000;
  private static final int MEAN_PACKETS = 4;

  @Test
  void shouldDrawGeometricLengthsOfTheMean() {
    int[] seen = new int[1000];
    long packets = 0;
    Trains trains = trains();
    for (int i = 0; i < TRAINS; i++) {
      trains.next();
      packets += trains.packets();
      seen[trains.packets()]++;
    }
    assertThat(packets / (double) TRAINS).isCloseTo(MEAN_PACKETS, within(0.08));
    assertThat(seen[0]).isZero();
    for (int length = 1; length < 8; length++) {
      double share = Math.pow(1 - 1.0 / MEAN_PACKETS, length - 1) / MEAN_PACKETS;
      // About six standard deviations, and the steps of a table.
      assertThat(seen[length] / (double) TRAINS)
          .as("length %d", length)
          .isCloseTo(share, within(0.01));
    }
  }

  @Test
  void shouldDrawFlowsByTheirShare() {
    int[] seen = new int[FLOWS];
    Trains trains = trains();
    for (int i = 0; i < TRAINS; i++) {
      trains.next();
      seen[trains.rank()]++;
    }
    double[] shares = ZipfPicker.shares(FLOWS);
    for (int rank = 0; rank < FLOWS; rank++) {
      double expected = shares[rank] * TRAINS;
      assertThat((double) seen[rank])
          .as("rank %d", rank)
          .isCloseTo(expected, within(6 * Math.sqrt(expected)));
    }
  }

  private static Trains trains() {
    SyntheticOptions options =
        SyntheticOptions.defaults().withFlows(FLOWS).withTrainPackets(MEAN_PACKETS);
    return new Trains(options, new FlowBlocks(FLOWS), new SplittableRandom(1));
  }
}

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
  void shouldDrawAllLengthsRoundTheMeanAlike() {
    int[] seen = new int[2 * MEAN_PACKETS];
    Trains trains = trains();
    for (int i = 0; i < TRAINS; i++) {
      trains.next();
      seen[trains.packets()]++;
    }
    assertThat(seen[0]).isZero();
    for (int length = 1; length < seen.length; length++) {
      // About six standard deviations.
      assertThat(seen[length]).as("length %d", length).isCloseTo(TRAINS / 7, within(700));
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

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReleasePointsTest {
  private final ReleasePoints points = new ReleasePoints();

  @Test
  void shouldReleaseWhatTheCheckpointHeld() {
    points.snapshot(1, 9, 100);
    points.snapshot(2, 9, 200);
    assertThat(points.completed(1, 9)).hasValue(100);
    assertThat(points.completed(1, 9)).isEmpty();
    assertThat(points.completed(2, 9)).hasValue(200);
  }

  @Test
  void shouldCoverEarlierCheckpointsOfWhichNothingWasHeard() {
    points.snapshot(1, 9, 100);
    points.snapshot(3, 9, 300);
    assertThat(points.completed(4, 9)).hasValue(300);
    assertThat(points.completed(3, 9)).isEmpty();
  }

  @Test
  void shouldReleaseNothingForAnAbortedCheckpoint() {
    points.snapshot(1, 9, 100);
    points.snapshot(2, 9, 200);
    points.aborted(2);
    assertThat(points.completed(2, 9)).hasValue(100);
  }

  @Test
  void shouldReleaseNothingInAnotherIncarnation() {
    points.snapshot(1, 9, 100);
    assertThat(points.completed(1, 10)).isEmpty();
  }

  @Test
  void shouldForgetTheOldestBeyondItsBound() {
    for (int id = 0; id <= ReleasePoints.MOST_CHECKPOINTS; id++) {
      points.snapshot(id, 9, id);
    }
    assertThat(points.completed(0, 9)).isEmpty();
    assertThat(points.completed(1, 9)).hasValue(1);
  }
}

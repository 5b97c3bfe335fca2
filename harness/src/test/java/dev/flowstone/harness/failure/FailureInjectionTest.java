// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.harness.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.harness.failure.FailureInjection.Place;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The decisions of the injection, without a job. */
@Timeout(30)
class FailureInjectionTest {
  private static final int SUBTASK = 1;

  private final FailureInjection injection = new FailureInjection(Duration.ofMillis(50));

  @AfterEach
  void close() {
    injection.close();
  }

  /** As a task that processes records: true when it failed. */
  private boolean processFails() {
    try {
      injection.pass(Place.PROCESSING, SUBTASK);
      return false;
    } catch (RuntimeException injected) {
      return true;
    }
  }

  @Test
  void shouldFailTheTestWhenNoCheckpointWasCompleted() {
    assertThatThrownBy(
            () -> injection.failOnce(Place.PROCESSING, () -> assertThat(processFails()).isFalse()))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("no checkpoint was completed");
  }

  private void completeCheckpoint() {
    injection.completeCheckpoint(injection.call());
  }

  private boolean completeCheckpointAndProcess() {
    completeCheckpoint();
    return processFails();
  }

  @Test
  void shouldFailTheTestWhenTheOnlyCheckpointWasStartedBeforeTheCall() {
    int before = injection.call();
    assertThatThrownBy(
            () ->
                injection.failOnce(
                    Place.PROCESSING,
                    () -> {
                      injection.completeCheckpoint(before);
                      assertThat(processFails()).isFalse();
                    }))
        .hasMessageContaining("no checkpoint was completed");
  }

  @Test
  void shouldFailTheTestWhenTheJobNeverComesToThePlace() {
    assertThatThrownBy(() -> injection.failOnce(Place.SNAPSHOT, this::completeCheckpointAndProcess))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("no failure was injected in SNAPSHOT");
  }

  @Test
  void shouldFailTheTestWhenTheJobDoesNotRecover() {
    assertThatThrownBy(
            () -> injection.failOnce(Place.PROCESSING, this::completeCheckpointAndProcess))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("did not recover from injected failure 1");
  }

  @Test
  void shouldFailTheTestWhenTheJobRestartsWithoutState() {
    assertThatThrownBy(() -> failAndRestart(false))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("restarted without a checkpoint");
  }

  @Test
  void shouldThrowEachFailureOnceAndAfterACheckpointOfItsOwn() throws Exception {
    assertThat(processFails()).isFalse();
    failAndRestart(true);
    assertThat(injection.isDue(1)).isTrue();
    assertThat(injection.isDue(2)).isFalse();
    failAndRestart(true);
    assertThat(injection.isDue(2)).isTrue();
    assertThat(completeCheckpointAndProcess()).isFalse();
  }

  private void failAndRestart(boolean isRestored) throws Exception {
    injection.failOnce(
        Place.PROCESSING,
        () -> {
          if (completeCheckpointAndProcess()) {
            injection.start(SUBTASK, isRestored);
          }
        });
  }

  @Test
  void shouldNotTakeTheRestartOfAnotherSubtaskForTheRecovery() {
    assertThatThrownBy(
            () ->
                injection.failOnce(
                    Place.PROCESSING,
                    () -> {
                      if (completeCheckpointAndProcess()) {
                        injection.start(SUBTASK + 1, true);
                      }
                    }))
        .hasMessageContaining("did not recover");
  }

  @Test
  void shouldNotTakeARestartForTheRecoveryFromALaterFailure() {
    injection.start(SUBTASK, true);
    assertThatThrownBy(
            () -> injection.failOnce(Place.PROCESSING, this::completeCheckpointAndProcess))
        .hasMessageContaining("did not recover");
  }
}

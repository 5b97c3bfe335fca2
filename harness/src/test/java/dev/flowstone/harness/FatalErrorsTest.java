// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.taskmanager.Task;
import org.apache.flink.util.FatalExitExceptionHandler;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Flink's own words, but not its end: that would be this JVM's. */
class FatalErrorsTest {
  private final InternalError error = new InternalError("a fault occurred");

  private final List<Throwable> heard = new ArrayList<>();

  @Test
  void shouldHearOfBothWaysToEndTheJvm() {
    FatalErrors.listen(heard::add);
    LoggerFactory.getLogger(Task.class)
        .error(
            "Encountered fatal error {} - terminating the JVM", error.getClass().getName(), error);
    LoggerFactory.getLogger(FatalExitExceptionHandler.class)
        .error(
            "FATAL: Thread '{}' produced an uncaught exception. Stopping the process...",
            "main",
            error);
    assertThat(heard).containsExactly(error, error);
    assertThat(FatalErrors.explain(error)).contains("mapped is gone", "cut short");
  }

  /** Nobody else hears of it, and whoever waits for that thread waits for ever. */
  @Test
  void shouldHearOfAThreadThatDiesForWantOfMemory() throws Exception {
    FatalErrors.listen(heard::add);
    OutOfMemoryError full = new OutOfMemoryError("by intent");
    Thread thread =
        Thread.ofPlatform()
            .start(
                () -> {
                  throw full;
                });
    thread.join();
    assertThat(heard).containsExactly(full);
  }

  @Test
  void shouldTellTheLatestListenerAlone() {
    FatalErrors.listen(
        other -> {
          throw new AssertionError("an earlier one heard of it", other);
        });
    FatalErrors.listen(heard::add);
    LoggerFactory.getLogger(Task.class).error("terminating the JVM", error);
    assertThat(heard).containsExactly(error);
  }

  @Test
  void shouldNotTakeOtherErrorsForTheEnd() {
    FatalErrors.listen(heard::add);
    LoggerFactory.getLogger(Task.class).error("a task failed", error);
    assertThat(heard).isEmpty();
  }
}

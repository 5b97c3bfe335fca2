// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.harness;

import java.util.Map;
import java.util.function.Consumer;
import org.apache.flink.runtime.taskmanager.Task;
import org.apache.flink.util.FatalExitExceptionHandler;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.config.Property;

/**
 * Hears of the errors for which Flink halts this JVM: status 255 or 239, and not a word but in its
 * log. An InternalError is one of them, which is what reading a mapped file throws that was cut
 * short. The log is the only place where anybody can still hear of it before the end. Hears also of
 * threads that die of an error of the JVM, such as an OutOfMemoryError, while the rest lives on.
 */
public final class FatalErrors {
  private static final String NAME = "fatal-errors";

  /** Who announces the end in the log, and with which words. */
  private static final Map<String, String> ANNOUNCEMENTS =
      Map.of(
          Task.class.getName(),
          "terminating the JVM",
          FatalExitExceptionHandler.class.getName(),
          "Stopping the process");

  private FatalErrors() {}

  /**
   * From now on this action hears of them, and no earlier one.
   *
   * @param action what to do before the end; the task that failed waits for it. It may end the JVM
   *     itself, in a better way
   */
  public static void listen(Consumer<Throwable> action) {
    LoggerContext context = LoggerContext.getContext(false);
    Configuration configuration = context.getConfiguration();
    Listener listener = new Listener(action);
    listener.start();
    for (String logger : ANNOUNCEMENTS.keySet()) {
      LoggerConfig log = LoggerConfigs.hearing(logger, Level.ERROR, configuration);
      log.removeAppender(NAME);
      log.addAppender(listener, Level.ERROR, null);
    }
    context.updateLoggers();
    Thread.setDefaultUncaughtExceptionHandler((thread, error) -> hear(thread, error, action));
  }

  /** A thread that nobody looks after dies of it, and whoever waits for it would wait for ever. */
  private static void hear(Thread thread, Throwable error, Consumer<Throwable> action) {
    if (error instanceof VirtualMachineError) {
      action.accept(error);
    } else {
      System.err.print("Exception in thread \"" + thread.getName() + "\" ");
      error.printStackTrace();
    }
  }

  /** In one line, for people. */
  public static String explain(Throwable error) {
    return error instanceof InternalError
        ? "Flink cannot go on: memory that it had mapped is gone; was a ring file cut short or"
            + " removed, or is what holds it full, such as /dev/shm? ("
            + error.getMessage()
            + ")"
        : "Flink cannot go on: " + error;
  }

  private static final class Listener extends AbstractAppender {
    private final Consumer<Throwable> action;

    Listener(Consumer<Throwable> action) {
      super(NAME, null, null, true, Property.EMPTY_ARRAY);
      this.action = action;
    }

    @Override
    public void append(LogEvent event) {
      String announcement = ANNOUNCEMENTS.get(event.getLoggerName());
      if (event.getThrown() != null
          && event.getMessage().getFormattedMessage().contains(announcement)) {
        action.accept(event.getThrown());
      }
    }
  }
}

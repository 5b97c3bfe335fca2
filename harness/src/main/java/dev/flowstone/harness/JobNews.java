// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.harness;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.config.Property;

/**
 * What Flowstone's own parts of a job that runs in this process warn of, and which rules are in
 * force: for the terminal. A cluster has only its logs for that. Any thread.
 */
public final class JobNews {
  private static final String NAME = "job-news";

  private static final String FLOWSTONE = "dev.flowstone";
  private static final String RULES = "dev.flowstone.operators.ruled";

  /** Between two looks. Who warns of more has a log that tells all. */
  private static final int MOST = 10;

  private final BlockingQueue<String> waiting = new ArrayBlockingQueue<>(MOST);
  private final AtomicLong unsaid = new AtomicLong();

  private JobNews() {}

  /** From now on, and nobody else who listened before. */
  public static JobNews listen() {
    LoggerContext context = LoggerContext.getContext(false);
    Configuration configuration = context.getConfiguration();
    JobNews news = new JobNews();
    Listener listener = new Listener(news);
    listener.start();
    LoggerConfig log = LoggerConfigs.hearing(FLOWSTONE, Level.WARN, configuration);
    log.removeAppender(NAME);
    log.addAppender(listener, null, null);
    // What it hears reaches the other's listener, too.
    LoggerConfigs.hearing(RULES, Level.INFO, configuration);
    context.updateLoggers();
    return news;
  }

  /** Since this was asked last, a line each. */
  public List<String> take() {
    List<String> lines = new ArrayList<>();
    waiting.drainTo(lines);
    long more = unsaid.getAndSet(0);
    if (more > 0) {
      lines.add("warning: " + more + " more warnings, which are in the log");
    }
    return lines;
  }

  private void add(LogEvent event) {
    boolean isWarning = event.getLevel().isMoreSpecificThan(Level.WARN);
    if (!isWarning && !event.getLoggerName().startsWith(RULES)) {
      return;
    }
    String words = event.getMessage().getFormattedMessage();
    String line = isWarning ? "warning: " + words : words;
    if (!waiting.contains(line) && !waiting.offer(line)) {
      unsaid.incrementAndGet();
    }
  }

  private static final class Listener extends AbstractAppender {
    private final JobNews news;

    Listener(JobNews news) {
      super(NAME, null, null, true, Property.EMPTY_ARRAY);
      this.news = news;
    }

    @Override
    public void append(LogEvent event) {
      news.add(event);
    }
  }
}

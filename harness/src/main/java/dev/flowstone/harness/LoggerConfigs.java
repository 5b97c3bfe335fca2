// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.harness;

import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.LoggerConfig;

/** Loggers that somebody listens to, besides what a file gets of them. */
final class LoggerConfigs {
  private LoggerConfigs() {}

  /** The logger's own: it says as much as before, and in any case what is of that level. */
  static LoggerConfig hearing(String logger, Level level, Configuration configuration) {
    Level usual = configuration.getLoggerConfig(logger).getLevel();
    Level wanted = usual.isLessSpecificThan(level) ? usual : level;
    configuration.addLogger(logger, new LoggerConfig(logger, wanted, true));
    return configuration.getLoggerConfig(logger);
  }
}

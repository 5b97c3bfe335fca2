// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/** A warning about something that lasts: at once, then at most one each half minute. */
final class RareWarning {
  private final Logger log;
  private final Interval interval = new Interval(TimeUnit.SECONDS.toNanos(30));

  RareWarning(Logger log) {
    this.log = log;
  }

  void warn(long nowNs, String format, Object... values) {
    if (interval.isOver(nowNs)) {
      log.warn(format, values);
    }
  }
}

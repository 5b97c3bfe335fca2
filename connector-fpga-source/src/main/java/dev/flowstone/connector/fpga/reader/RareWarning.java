// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/** A warning about something that lasts: at once, then at most one each half minute. */
final class RareWarning {
  private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(30);

  private final Logger log;
  private boolean said;
  private long saidNs;

  RareWarning(Logger log) {
    this.log = log;
  }

  void warn(long nowNs, String format, Object... values) {
    if (!said || nowNs - saidNs >= INTERVAL_NS) {
      said = true;
      saidNs = nowNs;
      log.warn(format, values);
    }
  }
}

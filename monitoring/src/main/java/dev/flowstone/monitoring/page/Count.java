// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

/**
 * A counter and how fast it grows.
 *
 * @param perSecond null: nobody knows, because it was looked at only once, or has begun anew
 */
record Count(long count, Long perSecond) {

  /**
   * @param earlier what it was; null: it was not there
   * @param seconds between the two; 0: it stands still
   */
  static Count since(Long earlier, long now, double seconds) {
    if (seconds == 0) {
      return new Count(now, 0L);
    }
    return new Count(
        now, earlier == null || now < earlier ? null : Math.round((now - earlier) / seconds));
  }
}

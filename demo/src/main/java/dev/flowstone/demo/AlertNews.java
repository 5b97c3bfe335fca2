// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * What was last told of an alert.
 *
 * @param id the same in all that is told of it
 * @param time end of the window that it is told of
 */
record AlertNews(
    String id,
    Instant time,
    String state,
    String detector,
    String subject,
    long observed,
    long limit,
    long peak) {
  static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

  static AlertNews of(JsonNode alert) {
    return new AlertNews(
        alert.required("id").asText(),
        Instant.EPOCH.plusNanos(alert.required("time_ns").asLong()),
        alert.required("state").asText(),
        alert.required("detector").asText(),
        alert.required("subject").asText(),
        alert.required("observed").asLong(),
        alert.required("limit").asLong(),
        alert.required("peak").asLong());
  }

  /** How many times the limit was seen; of one that is over, at its worst. */
  double severity() {
    return (double) (isClosed() ? peak : observed) / Math.max(1, limit);
  }

  boolean isOpening() {
    return state.equals("opened");
  }

  boolean isClosed() {
    return state.equals("closed");
  }

  /** One line: when, what became of it, who, and what was seen beside what is allowed. */
  String line() {
    String seen = isClosed() ? "peak " + number(peak) : number(observed);
    return String.format(
        Locale.ROOT,
        "%s  %-7s  %-9s  %-21s  %s > %s",
        CLOCK.format(time),
        state,
        detector,
        subject,
        seen,
        number(limit));
  }

  private static String number(long count) {
    return TableLayout.number(count);
  }
}

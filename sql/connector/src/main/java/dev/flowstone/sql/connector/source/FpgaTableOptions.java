// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.source;

import dev.flowstone.connector.fpga.EndingPosition;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.connector.fpga.FpgaSourceBuilder;
import dev.flowstone.connector.fpga.ReleaseMode;
import dev.flowstone.connector.fpga.StartingPosition;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;

/** What WITH takes, and the source that is made of it. */
final class FpgaTableOptions {
  static final ConfigOption<List<String>> RINGS =
      ConfigOptions.key("rings")
          .stringType()
          .asList()
          .noDefaultValue()
          .withDescription("Folders that taps fill, on every TaskManager's host.");

  static final ConfigOption<ReleaseMode> RELEASE =
      ConfigOptions.key("release")
          .enumType(ReleaseMode.class)
          .defaultValue(ReleaseMode.OBSERVING)
          .withDescription(
              "observing: taps never wait, and what a query is too slow for is lost to it;"
                  + " on_checkpoint, on_read: they wait until it was read.");

  static final ConfigOption<StartingPosition> START =
      ConfigOptions.key("start")
          .enumType(StartingPosition.class)
          .defaultValue(StartingPosition.LATEST)
          .withDescription("latest: with what comes from now on; oldest: with what rings hold.");

  static final ConfigOption<EndingPosition> END =
      ConfigOptions.key("end")
          .enumType(EndingPosition.class)
          .defaultValue(EndingPosition.NEVER)
          .withDescription(
              "never; end_of_tap: when the taps say that nothing more will come; latest: after what"
                  + " rings hold when the query begins.");

  static final ConfigOption<String> READER_NAME =
      ConfigOptions.key("reader-name")
          .stringType()
          .noDefaultValue()
          .withDescription("Name of the query's lanes in the rings; another for each by default.");

  static final ConfigOption<Duration> OUT_OF_ORDERNESS =
      ConfigOptions.key("out-of-orderness")
          .durationType()
          .defaultValue(Duration.ofMillis(100))
          .withDescription("How far a packet may be behind the latest of its ring.");

  static final ConfigOption<Duration> COUNT_INTERVAL =
      ConfigOptions.key("count.interval")
          .durationType()
          .noDefaultValue()
          .withDescription(
              "Rows are counts of packets and bytes over at most that long, by the columns that the"
                  + " table has besides; any query may add them up.");

  /** By the name that other connectors of Flink have for it. */
  static final ConfigOption<FilterPolicy> FILTER_HANDLING_POLICY =
      ConfigOptions.key("filter.handling.policy")
          .enumType(FilterPolicy.class)
          .defaultValue(FilterPolicy.ALWAYS)
          .withDescription(
              "always: conditions are tried on packets where they lie, before there is a row;"
                  + " never: on rows.");

  /** Whether conditions are pushed down. */
  enum FilterPolicy {
    ALWAYS,
    NEVER
  }

  static final Set<ConfigOption<?>> OPTIONAL =
      Set.of(
          FILTER_HANDLING_POLICY,
          RELEASE,
          START,
          END,
          READER_NAME,
          OUT_OF_ORDERNESS,
          COUNT_INTERVAL);

  private static final Duration LEAST_COUNT_INTERVAL = Duration.ofMillis(1);

  private FpgaTableOptions() {}

  /** Empty: rows are packets. */
  static Optional<Duration> countInterval(ReadableConfig options) {
    Optional<Duration> interval = options.getOptional(COUNT_INTERVAL);
    if (interval.filter(each -> !isWholeMilliseconds(each)).isPresent()) {
      throw new ValidationException(
          "%s must be whole milliseconds, at least one: %s"
              .formatted(COUNT_INTERVAL.key(), interval.get()));
    }
    return interval;
  }

  private static boolean isWholeMilliseconds(Duration interval) {
    return interval.compareTo(LEAST_COUNT_INTERVAL) >= 0
        && interval.equals(Duration.ofMillis(interval.toMillis()));
  }

  static FpgaSource source(ReadableConfig options) {
    FpgaSourceBuilder source =
        FpgaSource.builder()
            .release(options.get(RELEASE))
            .startingPosition(options.get(START))
            .endingPosition(options.get(END))
            .outOfOrderness(options.get(OUT_OF_ORDERNESS))
            .readerName(options.getOptional(READER_NAME).orElseGet(FpgaTableOptions::anyName));
    options.get(RINGS).forEach(folder -> source.ringDirectory(Path.of(folder)));
    try {
      return source.build();
    } catch (IllegalArgumentException e) {
      throw new ValidationException(e.getMessage(), e);
    }
  }

  /** Chosen once for a query, which keeps it over restarts; two queries are two readers. */
  private static String anyName() {
    return "sql-"
        + HexFormat.of()
            .toHexDigits(ThreadLocalRandom.current().nextInt())
            .toLowerCase(Locale.ROOT);
  }
}

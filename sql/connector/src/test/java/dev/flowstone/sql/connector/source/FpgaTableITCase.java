// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.sql.connector.functions.FlowstoneModule;
import dev.flowstone.tap.HeldBackSource;
import dev.flowstone.tap.Pacer;
import dev.flowstone.tap.RecordedRings;
import dev.flowstone.traffic.synthetic.SyntheticSource;
import dev.flowstone.traffic.synthetic.SyntheticTruth;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;
import org.apache.flink.types.Row;
import org.apache.flink.util.ExceptionUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rings as tables: what was sent is what is found. */
@Timeout(120)
class FpgaTableITCase {
  private static final long NS_PER_S = 1_000_000_000L;

  /** More than is on its way to a query that does not ask for rows. */
  private static final int MANY = 50_000;

  /** A ring for so many has no room for what comes after a query stands still. */
  private static final long FEW = 4_000;

  private static final long SO_FAR = 1_000;

  /** So that a query is there before the ring is written over. */
  private static final double TAP_RATE = 100_000;

  private static RingTables tables;
  private static SyntheticTruth truth;

  @BeforeAll
  static void fill() throws Exception {
    try (SyntheticSource source = MixedPackets.source()) {
      tables = new RingTables(source, MixedPackets.PACKETS, RingTables.summedUp());
      truth = source.truth();
    }
    tables.createCounts("packet_counts", "100 ms");
    tables.environment().getConfig().setLocalTimeZone(ZoneOffset.UTC);
  }

  @AfterAll
  static void close() {
    tables.close();
  }

  @Test
  void shouldHaveEachPacketAsARow() throws Exception {
    Row all =
        tables
            .ask(
                """
                SELECT COUNT(*), SUM(CAST(frame_length AS BIGINT)), MIN(time_ns), MAX(time_ns),
                  COUNT(*) FILTER (WHERE ip = 4), COUNT(*) FILTER (WHERE ip = 6),
                  COUNT(*) FILTER (WHERE protocol = 6), COUNT(*) FILTER (WHERE protocol = 17),
                  COUNT(*) FILTER (WHERE syn AND NOT ack), COUNT(*) FILTER (WHERE syn AND ack),
                  COUNT(*) FILTER (WHERE fin)
                FROM packets
                """)
            .getLast();
    assertThat(numbers(all))
        .containsExactly(
            truth.packets(),
            truth.wireBytes(),
            truth.firstNs(),
            truth.lastNs(),
            truth.classes().get("ipv4"),
            truth.classes().get("ipv6"),
            truth.classes().get("tcp"),
            truth.classes().get("udp"),
            truth.syns(),
            truth.synAcks(),
            truth.fins());
  }

  private static List<Long> numbers(Row row) {
    return IntStream.range(0, row.getArity())
        .mapToObj(i -> ((Number) row.getField(i)).longValue())
        .toList();
  }

  @Test
  void shouldTellFlowsApart() throws Exception {
    long flows =
        tables.askNumber(
            """
            SELECT COUNT(*) FROM (SELECT DISTINCT source_address, destination_address, protocol,
              source_port, destination_port FROM packets WHERE ip IS NOT NULL)
            """);
    assertThat(flows).isEqualTo(truth.directionalTuples());
  }

  @Test
  void shouldSayWhereEachPacketWas() throws Exception {
    Row places =
        tables
            .ask(
                """
                SELECT COUNT(*), COUNT(DISTINCT ring), COUNT(DISTINCT ring_stream), SUM(lost_before)
                FROM (SELECT ring, ring_stream, ring_position, MAX(lost_before) AS lost_before FROM packets
                  GROUP BY ring, ring_stream, ring_position)
                """)
            .getLast();
    assertThat(numbers(places)).containsExactly(truth.packets(), 2L, 2L, 0L);
  }

  @Test
  void shouldHashFlowsAsPacketsHaveIt() throws Exception {
    Row hashed =
        tables
            .ask(
                """
                SELECT COUNT(*) FILTER (WHERE found = flow_hash), COUNT(*) FROM (
                  SELECT flow_hash, FLOW_HASH(source_address, destination_address, source_port,
                    destination_port, protocol) AS found FROM packets WHERE ip IS NOT NULL)
                """)
            .getLast();
    assertThat(hashed.getField(0)).isEqualTo(hashed.getField(1)).isEqualTo(truth.packets());
  }

  /** Whatever Flink's planner makes of literals and types. */
  @Test
  void shouldKnowTheModulesFunctions() throws Exception {
    String question =
        """
        SELECT IP_TEXT(n), IP_TEXT(3232235521), IP_TEXT(x), IP_TEXT(X'20010000000000000000000000000001'),
          TCP_FLAGS_TEXT(18), PREFIX_OF(a, 24), PREFIX_OF(a, 24, 48), IN_PREFIX(a, '10.0.0.0/8'),
          FLOW_HASH(a, '10.0.0.2', 1234, 80, 6) = FLOW_HASH('10.0.0.2', a, 80, 1234, 6),
          HISTOGRAM_COUNT(h), HISTOGRAM_QUANTILE(h, 0.5), HISTOGRAM_COUNT(HISTOGRAM_MERGE(h)),
          HISTOGRAM_COUNT(h, 2), HISTOGRAM_QUANTILE(HISTOGRAM_MERGE(h), 0.9, SUM(n), MAX(n))
        FROM (VALUES (CAST(167772360 AS BIGINT), X'0A0000C8', '10.1.2.3', '%s')) AS t (n, x, a, h)
        GROUP BY n, x, a, h
        """
            .formatted(histogram(7, 8, 9));
    assertThat(question.toLowerCase(Locale.ROOT)).contains(new FlowstoneModule().listFunctions());
    assertThat(tables.ask(question))
        .containsExactly(
            Row.of(
                "10.0.0.200",
                "192.168.0.1",
                "10.0.0.200",
                "2001::1",
                "SYN,ACK",
                "10.1.2.0/24",
                "10.1.2.0/24",
                true,
                true,
                3L,
                8L,
                3L,
                5L,
                167_772_360L));
  }

  private static String histogram(long... values) {
    Histogram histogram = new Histogram(2);
    LongStream.of(values).forEach(histogram::recordValue);
    ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    histogram.encodeIntoCompressedByteBuffer(bytes);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), bytes.position()));
  }

  /** The field's example of what to ask, of packets and of counts. */
  @ParameterizedTest
  @CsvSource({"packets, COUNT(*)", "packet_counts, SUM(packets)"})
  void shouldFindTheFlood(String table, String syns) throws Exception {
    requireFlood(
        """
        SELECT window_start, destination_address, %2$s
        FROM TABLE(TUMBLE(TABLE %1$s, DESCRIPTOR(rowtime), INTERVAL '5' SECOND))
        WHERE syn AND NOT ack AND NOT later_fragment
        GROUP BY window_start, window_end, destination_address HAVING %2$s > 10
        """
            .formatted(table, syns));
  }

  /** Flink has another form now, and still takes this one. */
  @Test
  void shouldFindTheFloodInTheOlderFormOfWindows() throws Exception {
    requireFlood(
        """
        SELECT TUMBLE_START(rowtime, INTERVAL '5' SECOND), destination_address, COUNT(*)
        FROM packets WHERE syn AND NOT ack AND NOT later_fragment
        GROUP BY TUMBLE(rowtime, INTERVAL '5' SECOND), destination_address HAVING COUNT(*) > 10
        """);
  }

  private static void requireFlood(String query) throws Exception {
    List<String> found = tables.ask(query).stream().map(FpgaTableITCase::window).toList();
    assertThat(found)
        .isNotEmpty()
        .containsExactlyInAnyOrderElementsOf(
            truth.synsOver10ByDestination().stream()
                .map(
                    window ->
                        "%d %s %d"
                            .formatted(
                                window.windowStartNs() / NS_PER_S,
                                window.destination(),
                                window.syns()))
                .toList());
  }

  private static String window(Row row) {
    return "%d %s %d"
        .formatted(
            ((LocalDateTime) row.getField(0)).toEpochSecond(ZoneOffset.UTC),
            row.getField(1),
            (Long) row.getField(2));
  }

  /** By few columns there are few rows, whatever the table has besides. */
  @Test
  void shouldCountByTheColumnsThatAreAskedFor() throws Exception {
    Row counted =
        tables
            .ask("SELECT SUM(packets), SUM(octets), COUNT(*), SUM(lost_before) FROM packet_counts")
            .getLast();
    List<Long> numbers = numbers(counted);
    assertThat(numbers.subList(0, 2)).containsExactly(truth.packets(), truth.wireBytes());
    assertThat(numbers.get(2)).isBetween(1L, truth.packets() / 100);
    assertThat(numbers.get(3)).isZero();
    assertThat(tables.askNumber("SELECT SUM(packets) FROM packet_counts WHERE protocol = 17"))
        .isEqualTo(truth.classes().get("udp"));
  }

  /** Each packet is a row, or was lost before one: nobody reads until the tap has ended. */
  @Test
  void shouldTellOfAllThatWasWrittenOver() throws Exception {
    try (ScratchFolder rings = ScratchFolder.inMemory("overrun");
        SyntheticSource source = MixedPackets.source()) {
      AtomicReference<LiveQuery> begun = new AtomicReference<>();
      RecordedRings.fill(
          rings.path(),
          1,
          source,
          FEW,
          Pacer.packetsPerSecond(TAP_RATE),
          () -> begun.set(begin(rings.path())));
      try (LiveQuery query = begun.get()) {
        LiveQuery.Told told = query.readAll();
        assertThat(told.lost()).isPositive();
        assertThat(told.packets() + told.lost()).isEqualTo(source.truth().packets());
      }
    }
  }

  /** The tap goes on when the query has answered. */
  @Test
  void shouldEndWithWhatRingsHoldWhileTheirTapIsAtWork() throws Exception {
    try (ScratchFolder rings = ScratchFolder.inMemory("so-far");
        SyntheticSource source = MixedPackets.source()) {
      AtomicReference<LiveQuery.Told> told = new AtomicReference<>();
      HeldBackSource heldBack =
          new HeldBackSource(source, SO_FAR, () -> told.compareAndSet(null, soFar(rings.path())));
      RecordedRings.fill(rings.path(), heldBack, FEW);
      assertThat(told.get()).isEqualTo(new LiveQuery.Told(SO_FAR, 0));
      assertThat(source.truth().packets()).isGreaterThan(SO_FAR);
    }
  }

  private static LiveQuery.Told soFar(Path rings) {
    try (LiveQuery query = new LiveQuery(rings, "so-far", ", 'end' = 'latest'")) {
      return query.readAll();
    } catch (Exception e) {
      throw new IllegalStateException("no answer", e);
    }
  }

  /** Returns when it reads. */
  private static LiveQuery begin(Path rings) {
    try {
      LiveQuery query = new LiveQuery(rings, "overrun", ", 'end' = 'end_of_tap'");
      query.lane();
      return query;
    } catch (Exception e) {
      throw new IllegalStateException("no query of " + rings, e);
    }
  }

  /** A condition on a count's own time is not one on its packets'. */
  @Test
  void shouldLeaveConditionsOnCountsToFlink() {
    String plan =
        tables
            .environment()
            .explainSql(
                """
                SELECT packets FROM packet_counts WHERE protocol = 17 AND packets > 3
                  AND rowtime > TO_TIMESTAMP_LTZ(1, 3)
                """);
    assertThat(plan)
        .containsPattern("table=\\[\\[.*filter=\\[=\\(protocol, 17\\)\\]")
        .containsPattern("where=\\[.*packets.*3.*rowtime.*\\]");
  }

  /** A tap must not wait for somebody's question. */
  @ParameterizedTest
  @ValueSource(strings = {"", ", 'release' = 'observing'"})
  void shouldHoldNoSpaceUnlessItIsAskedTo(String release) throws Exception {
    try (LiveQuery query = new LiveQuery(tables.rings(), "observer", release)) {
      query.read(1);
      assertThat(query.lane().holdsSpace()).isFalse();
    }
  }

  @ParameterizedTest
  @CsvSource({"on_checkpoint, false", "on_read, true"})
  void shouldHoldSpaceIfItIsAskedTo(String release, boolean isGivenBackWhenRead) throws Exception {
    try (LiveQuery query =
        new LiveQuery(tables.rings(), "holder", ", 'release' = '" + release + "'")) {
      query.read(MANY);
      assertThat(query.hasReleased()).isEqualTo(isGivenBackWhenRead);
      query.readUntilReleased();
      assertThat(query.lane().holdsSpace()).isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nosuch INT | 'rings' = '/r' | no column nosuch; they have: rowtime",
        "protocol STRING | 'rings' = '/r' | column protocol is INT, not STRING",
        "protocol INT NOT NULL | 'rings' = '/r' | column protocol is INT, not INT NOT NULL",
        "protocol INT | 'end' = 'end_of_tap' | 'rings'",
        "protocol INT | 'rings' = '/r', 'count.interval' = '0 ms' | count.interval must be whole",
        "protocol INT | 'rings' = '/r', 'release' = 'never' | Expected one of: [[ON_CHECKPOINT",
        "packets BIGINT | 'rings' = '/r' | no column packets",
        "protocol INT | 'rings' = '/r', 'reader-name' = 'of a length that no lane of a ring has room for' | name has 1 to",
      })
  void shouldSayWhatIsWrong(String column, String options, String words) {
    tables.environment().executeSql("DROP TEMPORARY TABLE IF EXISTS wrong");
    tables
        .environment()
        .executeSql(
            "CREATE TEMPORARY TABLE wrong (%s) WITH ('connector' = 'fpga', %s)"
                .formatted(column, options));
    assertThatThrownBy(() -> tables.environment().explainSql("SELECT * FROM wrong"))
        .satisfies(
            thrown ->
                assertThat(ExceptionUtils.stringifyException(thrown))
                    .as("some cause says it")
                    .contains(words));
  }
}

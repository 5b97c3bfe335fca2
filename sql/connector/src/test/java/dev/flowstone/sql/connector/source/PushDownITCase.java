// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.raw.PacketSource;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever a WHERE asks for, Flink finds the same packets when it tries them itself. */
@Timeout(240)
class PushDownITCase {
  private static final int CONDITIONS = 10;
  private static final List<String> COMPARISONS = List.of("=", "<>", "<", "<=", ">", ">=");
  private static final List<String> NUMBERS =
      List.of(
          "ip",
          "source_port",
          "destination_port",
          "protocol",
          "ether_type",
          "tcp_flags",
          "tcp_window",
          "frame_length",
          "payload_length",
          "type_of_service",
          "time_to_live",
          "ingress_port",
          "traffic_class",
          "tcp_sequence",
          "flow_hash",
          "time_ns");
  private static final List<String> TRUTHS =
      List.of("fin", "syn", "rst", "psh", "ack", "later_fragment", "encapsulated");
  private static final List<String> ADDRESSES = List.of("source_address", "destination_address");

  private static RingTables tables;
  private static List<Row> some;

  private final Random random = new Random(seed());

  private static long seed() {
    long seed = Long.getLong("flowstone.seed", System.nanoTime());
    System.out.println("PushDownITCase: seed " + seed + "; again with -Dflowstone.seed=" + seed);
    return seed;
  }

  @BeforeAll
  static void fill() throws Exception {
    try (PacketSource source = MixedPackets.source()) {
      tables = new RingTables(source, MixedPackets.PACKETS, RingTables.summedUp());
    }
    some = tables.askFirst(500, "SELECT * FROM packets");
  }

  @AfterAll
  static void close() {
    tables.close();
  }

  /** Flink answers for all conditions in one query. */
  @Test
  void shouldFindWhatFlinkFindsByItself() throws Exception {
    List<String> conditions =
        Stream.generate(() -> condition(random.nextInt(4))).limit(CONDITIONS).toList();
    Row expected = tables.ask(byFlink(conditions)).getLast();
    for (int i = 0; i < CONDITIONS; i++) {
      String pushed = "SELECT COUNT(*), SUM(time_ns) FROM packets WHERE " + conditions.get(i);
      assertThat(tables.environment().explainSql(pushed)).doesNotContain("where=[");
      List<Row> found = tables.ask(pushed);
      assertThat(found.isEmpty() ? "0 packets, null" : sums(found.getLast(), 0))
          .as(pushed)
          .isEqualTo(sums(expected, 2 * i));
    }
  }

  private static String sums(Row row, int first) {
    return row.getField(first) + " packets, " + row.getField(first + 1);
  }

  private static String byFlink(List<String> conditions) {
    return conditions.stream()
        .map("COUNT(*) FILTER (WHERE %1$s), SUM(time_ns) FILTER (WHERE %1$s)"::formatted)
        .collect(Collectors.joining(", ", "SELECT ", " FROM unfiltered"));
  }

  @Test
  void shouldLeaveAllToFlinkWhereItIsTold() {
    assertThat(tables.environment().explainSql("SELECT syn FROM unfiltered WHERE syn"))
        .contains("filter=[]")
        .contains("where=[syn]");
  }

  @Test
  void shouldReadNoColumnThatNobodyAsksFor() {
    assertThat(tables.environment().explainSql("SELECT destination_address FROM packets"))
        .contains("packets, project=[destination_address, rowtime], metadata=[]");
  }

  private String condition(int depth) {
    if (depth == 0) {
      return simple();
    }
    return switch (random.nextInt(4)) {
      case 0 -> "(" + condition(depth - 1) + " AND " + condition(depth - 1) + ")";
      case 1 -> "(" + condition(depth - 1) + " OR " + condition(depth - 1) + ")";
      case 2 -> "NOT (" + condition(depth - 1) + ")";
      default -> condition(depth - 1);
    };
  }

  private String simple() {
    Row packet = any(some);
    return switch (random.nextInt(7)) {
      case 0 -> any(TRUTHS);
      case 1 -> any(ADDRESSES) + any(List.of(" = ", " <> ")) + address(packet);
      case 2 -> any(all()) + any(List.of(" IS NULL", " IS NOT NULL"));
      case 4 -> "IN_PREFIX(%s, %s)".formatted(any(ADDRESSES), prefix(any(some)));
      case 3 -> {
        String column = any(NUMBERS);
        yield column + " BETWEEN " + number(packet, column) + " AND " + number(any(some), column);
      }
      default -> {
        String column = any(NUMBERS);
        String number = number(packet, column);
        yield random.nextBoolean()
            ? column + " " + any(COMPARISONS) + " " + number
            : number + " " + any(COMPARISONS) + " " + column;
      }
    };
  }

  private static List<String> all() {
    List<String> all = new ArrayList<>(NUMBERS);
    all.addAll(TRUTHS);
    all.addAll(ADDRESSES);
    return all;
  }

  private static String number(Row packet, String column) {
    Object value = packet.getField(column);
    return value == null ? "1" : value.toString();
  }

  private String address(Row packet) {
    Object value = packet.getField(any(ADDRESSES));
    return value == null ? "'10.0.0.1'" : "'" + value + "'";
  }

  private String prefix(Row packet) {
    String address = address(packet).replace("'", "");
    byte[] bytes = InetAddress.ofLiteral(address).getAddress();
    int bits = random.nextInt(1 + bytes.length * Byte.SIZE);
    for (int bit = bits; bit < bytes.length * Byte.SIZE; bit++) {
      bytes[bit / Byte.SIZE] &= (byte) ~(0x80 >> bit % Byte.SIZE);
    }
    return "'" + hostAddress(bytes) + "/" + bits + "'";
  }

  private static String hostAddress(byte... bytes) {
    try {
      return InetAddress.getByAddress(bytes).getHostAddress();
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  private <T> T any(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }
}

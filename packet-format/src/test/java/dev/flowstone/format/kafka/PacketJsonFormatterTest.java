// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.SerializationException;
import org.junit.jupiter.api.Test;

class PacketJsonFormatterTest {
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  private List<String> print(byte[] message) {
    try (PacketJsonFormatter formatter = new PacketJsonFormatter();
        PrintStream output = new PrintStream(printed, true, UTF_8)) {
      formatter.writeTo(new ConsumerRecord<>("packets", 2, 77, null, message), output);
    }
    return printed.toString(UTF_8).lines().toList();
  }

  @Test
  void shouldTellALossBeforeThePacketsThatFollowIt() throws IOException {
    assertThat(print(fixture("/v2-columns.batch")).getFirst())
        .isEqualTo("{\"lost_before\": 77, \"lost_before_tap\": 5, \"stream\": 5124095576030463}");
  }

  /** Also written down beside the message, but with addresses as 16 bytes. */
  @Test
  void shouldPrintEveryPacket() throws IOException {
    final List<String> known =
        new String(fixture("/v2.json"), UTF_8)
            .lines()
            .filter(line -> line.startsWith("{\"time_ns\""))
            .map(line -> line.replaceAll(", \"generation\": \\d|,$", ""))
            .map(line -> line.replaceAll("}$", ", \"weight\": 1000}"))
            .map(PacketJsonFormatterTest::withoutAddresses)
            .toList();
    final List<String> lines = print(fixture("/v2-columns.batch"));
    assertThat(lines.subList(1, lines.size()))
        .hasSize(240)
        .map(PacketJsonFormatterTest::withoutAddresses)
        .isEqualTo(known);
    assertThat(lines.get(1))
        .contains(
            "\"source_address\": \"2001:db8:0:222:fc9a:8998:882:6b54\","
                + " \"destination_address\": \"2001:db8:0:c320:29f4:2773:3ef1:60f2\"");
  }

  private static String withoutAddresses(String line) {
    return line.replaceAll("(_address\": )\"[0-9a-f:.]+\"", "$1");
  }

  @Test
  void shouldSayWhichMessageIsWrong() throws IOException {
    final byte[] message = fixture("/v2-columns.batch");
    message[100] ^= 1;
    assertThatThrownBy(() -> print(message))
        .isInstanceOf(SerializationException.class)
        .hasMessageStartingWith("partition 2, offset 77, topic packets: packet batch refused at");
    assertThat(printed.size()).isZero();
  }

  @Test
  void shouldPassTombstones() {
    assertThat(print(null)).isEmpty();
  }

  private static byte[] fixture(String name) throws IOException {
    try (InputStream stream = PacketJsonFormatterTest.class.getResourceAsStream(name)) {
      return stream.readAllBytes();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The worked examples of the reference pages keep the promises of the pages they stand on. */
class ExampleTest {
  private final Abi abi = read();

  private static Abi read() {
    try {
      return AbiReader.read(ProjectRoot.find());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private EncodedExample example(String layout) {
    return ExampleEncoder.encode(abi, abi.layout(layout).orElseThrow());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "packet_record",
        "time_record",
        "loss_record",
        "ring_file_header",
        "packet_batch_header",
        "telemetry_datagram",
        "received_books",
        "received_ring"
      })
  void shouldExplainEveryByteOfWhatOutlivesAProcess(String layout) {
    EncodedExample example = example(layout);
    long next = 0;
    for (EncodedExample.Row row : example.rows()) {
      assertThat(row.offset()).as(row.name()).isEqualTo(next);
      next += row.lengthBytes();
    }
    assertThat(next).isEqualTo(example.bytes().length);
  }

  /** Written down here once more, from the definition in docs/formats/flow-hash.md. */
  @Test
  void shouldGiveThePacketTheFlowHashOfItsTuple() {
    ByteBuffer record =
        ByteBuffer.wrap(example("packet_record").bytes()).order(ByteOrder.LITTLE_ENDIAN);
    CRC32C crc = new CRC32C();
    crc.update(record.array(), 8, 32); // The source is the lower endpoint.
    crc.update(new byte[] {record.get(41), record.get(40), record.get(43), record.get(42)});
    crc.update(new byte[] {record.get(56), 0, 0, 0});

    assertThat(record.getInt(4)).isEqualTo((int) crc.getValue());
  }

  @Test
  void shouldGiveTheBatchTheChecksumOfHeaderAndBody() {
    byte[] header = example("packet_batch_header").bytes();
    CRC32C crc = new CRC32C();
    crc.update(header, 0, 60);
    crc.update(header, 64, header.length - 64);
    crc.update(example("packet_record").bytes());

    assertThat(ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).getInt(60))
        .isEqualTo((int) crc.getValue());
  }

  @Test
  void shouldGiveTheDatagramTheChecksumOfHeaderAndBody() {
    byte[] header = example("telemetry_datagram").bytes();
    CRC32C crc = new CRC32C();
    crc.update(header, 0, 28);
    crc.update(header, 32, header.length - 32);
    crc.update(example("packet_record").bytes());

    assertThat(ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).getInt(28))
        .isEqualTo((int) crc.getValue());
  }

  /** Of 128 key groups the first half is in ring 0; the reader is called forward. */
  @Test
  void shouldNameKeyGroupsAndReaderOfTheDatagramByTheirChecksums() {
    ByteBuffer header =
        ByteBuffer.wrap(example("telemetry_datagram").bytes()).order(ByteOrder.LITTLE_ENDIAN);
    byte[] ringOfKeyGroup = new byte[128];
    Arrays.fill(ringOfKeyGroup, 64, 128, (byte) 1);

    assertThat(header.getInt(20)).isEqualTo(checksum(ringOfKeyGroup));
    assertThat(header.getInt(24)).isEqualTo(checksum("forward".getBytes(StandardCharsets.UTF_8)));
  }

  private static int checksum(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }

  @Test
  void shouldDumpEqualLinesOnce() {
    byte[] bytes = new byte[64];
    Arrays.fill(bytes, 48, 64, (byte) 'A');

    assertThat(HexDump.of(bytes))
        .isEqualTo(
            """
            00000000  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  |................|
            *
            00000030  41 41 41 41 41 41 41 41 41 41 41 41 41 41 41 41  |AAAAAAAAAAAAAAAA|
            00000040
            """);
  }
}

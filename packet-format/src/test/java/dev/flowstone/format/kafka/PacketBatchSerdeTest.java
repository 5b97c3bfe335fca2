// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.format.PacketBatch;
import dev.flowstone.model.abi.PacketRecordLayout;
import java.io.IOException;
import java.io.InputStream;
import org.apache.kafka.common.errors.SerializationException;
import org.junit.jupiter.api.Test;

class PacketBatchSerdeTest {
  private final PacketBatchSerde serde = new PacketBatchSerde();

  @Test
  void shouldDecodeAndSendOnTheSameMessage() throws IOException {
    final byte[] message = fixture();
    final PacketBatch batch = serde.deserializer().deserialize("packets", message);
    assertThat(batch.count()).isEqualTo(240);
    assertThat(batch.records().byteSize()).isEqualTo(240 * PacketRecordLayout.SIZE_BYTES);
    assertThat(batch.records().isReadOnly()).isTrue();
    assertThat(serde.serializer().serialize("packets", batch)).isEqualTo(message);
  }

  @Test
  void shouldNotChangeWithTheArrayItCameFrom() throws IOException {
    final byte[] message = fixture();
    final PacketBatch batch = serde.deserializer().deserialize("packets", message);
    message[0] ^= 1;
    assertThat(batch.toMessage()).isEqualTo(fixture());
  }

  @Test
  void shouldTellKafkaWhatIsWrong() throws IOException {
    final byte[] message = fixture();
    message[100] ^= 1;
    assertThatThrownBy(() -> serde.deserializer().deserialize("packets", message))
        .isInstanceOf(SerializationException.class)
        .hasMessageContaining("topic packets")
        .hasMessageContaining("header.checksum");
  }

  @Test
  void shouldPassTombstones() {
    assertThat(serde.deserializer().deserialize("packets", null)).isNull();
    assertThat(serde.serializer().serialize("packets", null)).isNull();
  }

  private static byte[] fixture() throws IOException {
    try (InputStream stream = PacketBatchSerdeTest.class.getResourceAsStream("/v2-columns.batch")) {
      return stream.readAllBytes();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Messages of released versions stay readable; the Python reader is tested against the same files.
 */
class PacketBatchFixtureTest {
  @ParameterizedTest
  @EnumSource(BodyKind.class)
  void shouldReadVersion1(BodyKind body) {
    requireReadable("v1", body);
  }

  @ParameterizedTest
  @EnumSource(BodyKind.class)
  void shouldReadVersion2(BodyKind body) {
    requireReadable("v2", body);
  }

  @ParameterizedTest
  @EnumSource(BodyKind.class)
  void shouldReadVersion3(BodyKind body) {
    requireReadable("v3", body);
  }

  private static void requireReadable(String version, BodyKind body) {
    final byte[] message = resource("/" + version + "-" + WriteFixtures.name(body) + ".batch");
    final PacketBatch batch = PacketBatch.decode(new PacketBatchDecoder(), message);
    assertThat(batch.header().body()).isEqualTo(body);
    assertThat(BatchText.of(batch.header(), batch.records()))
        .isEqualTo(new String(resource("/" + version + ".json"), StandardCharsets.UTF_8));
    assertThat(batch.toMessage()).isEqualTo(message);
  }

  static byte[] resource(String name) {
    try (InputStream stream = PacketBatchFixtureTest.class.getResourceAsStream(name)) {
      return stream.readAllBytes();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}

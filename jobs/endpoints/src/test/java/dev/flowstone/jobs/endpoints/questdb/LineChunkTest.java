// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class LineChunkTest {
  private static final LineChunk CHUNK = new LineChunk("t", "a\nb\\\nb\\\\\nc\n".getBytes(UTF_8));

  @Test
  void shouldKnowAnEndOfLineFromOneInAText() {
    assertThat(CHUNK.count()).isEqualTo(3);
    assertThat(CHUNK.firstLine()).isEqualTo("a");
    assertThat(CHUNK.between(1, 2).lines()).asString(UTF_8).isEqualTo("b\\\nb\\\\\n");
    assertThat(CHUNK.between(2, 3).lines()).asString(UTF_8).isEqualTo("c\n");
    assertThat(CHUNK.between(1, 1).lines()).isEmpty();
  }

  @Test
  void shouldComeBackFromACheckpoint() throws Exception {
    LineChunk read = LineChunk.read(CHUNK.toBytes());
    assertThat(read.table()).isEqualTo("t");
    assertThat(read.lines()).isEqualTo(CHUNK.lines());
  }

  @Test
  void shouldRefuseAVersionThatItDoesNotKnow() throws Exception {
    byte[] saved = CHUNK.toBytes();
    saved[0] = 9;
    assertThatThrownBy(() -> LineChunk.read(saved))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("version 9, this job reads version 1");
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
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

  private static byte[] saved() throws IOException {
    DataOutputSerializer target = new DataOutputSerializer(1);
    CHUNK.write(target);
    return target.getCopyOfBuffer();
  }

  @Test
  void shouldComeBackFromACheckpoint() throws Exception {
    byte[] saved = saved();
    byte[] more = Arrays.copyOf(saved, saved.length + 1);
    LineChunk read = LineChunk.read(new DataInputDeserializer(more));
    assertThat(read.table()).isEqualTo("t");
    assertThat(read.lines()).isEqualTo(CHUNK.lines());
  }

  @Test
  void shouldComeBackFromACheckpointOfVersion1() throws Exception {
    DataOutputSerializer target = new DataOutputSerializer(1);
    target.writeByte(1);
    target.writeUTF("t");
    target.write(CHUNK.lines());
    LineChunk read = LineChunk.readUnsized(target.getCopyOfBuffer());
    assertThat(read.table()).isEqualTo("t");
    assertThat(read.lines()).isEqualTo(CHUNK.lines());
  }

  @Test
  void shouldRefuseAVersionThatItDoesNotKnow() throws Exception {
    byte[] saved = saved();
    saved[0] = 9;
    assertThatThrownBy(() -> LineChunk.read(new DataInputDeserializer(saved)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("version 9, this job reads version 2");
  }
}

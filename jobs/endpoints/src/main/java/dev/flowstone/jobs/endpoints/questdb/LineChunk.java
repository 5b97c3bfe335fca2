// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * Results for one table that leave together, as lines.
 *
 * <p>In a checkpoint: version in one byte, table as UTF, then lines to the end.
 */
final class LineChunk {
  private static final byte VERSION = 1;
  private static final int MOST_NAME_BYTES = 128;

  private final String table;
  private final byte[] lines;

  /**
   * A chunk.
   *
   * @param lines each with its end of line; not copied
   */
  LineChunk(String table, byte[] lines) {
    this.table = table;
    this.lines = lines;
  }

  static LineChunk read(byte[] saved) throws IOException {
    DataInputDeserializer source = new DataInputDeserializer(saved);
    byte version = source.readByte();
    if (version != VERSION) {
      throw new IOException(
          "the checkpoint has results for QuestDB in version %d, this job reads version %d: begin with a checkpoint of this job"
              .formatted(version, VERSION));
    }
    String table = source.readUTF();
    byte[] lines = new byte[source.available()];
    source.readFully(lines);
    return new LineChunk(table, lines);
  }

  String table() {
    return table;
  }

  /** Not a copy. */
  byte[] lines() {
    return lines;
  }

  byte[] toBytes() throws IOException {
    DataOutputSerializer target = new DataOutputSerializer(lines.length + MOST_NAME_BYTES);
    target.writeByte(VERSION);
    target.writeUTF(table);
    target.write(lines);
    return target.getCopyOfBuffer();
  }

  /** Ends of line inside of a text are escaped, and do not count. */
  int count() {
    int count = 0;
    for (int i = 0; i < lines.length; i = endOfLine(i)) {
      count++;
    }
    return count;
  }

  String firstLine() {
    return new String(lines, 0, endOfLine(0), UTF_8).stripTrailing();
  }

  /** The lines from one to before another, counted from 0. */
  LineChunk between(int first, int end) {
    int begin = skip(0, first);
    return new LineChunk(table, Arrays.copyOfRange(lines, begin, skip(begin, end - first)));
  }

  private int skip(int from, int count) {
    int at = from;
    for (int line = 0; line < count; line++) {
      at = endOfLine(at);
    }
    return at;
  }

  /** Where the line ends that begins there: after an end of line that nothing escapes. */
  private int endOfLine(int from) {
    int at = from;
    while (lines[at] != '\n') {
      at += lines[at] == '\\' ? 2 : 1;
    }
    return at + 1;
  }
}

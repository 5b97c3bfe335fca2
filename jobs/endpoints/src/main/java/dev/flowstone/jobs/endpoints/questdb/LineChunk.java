// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Results for one table that leave together, as lines.
 *
 * <p>In a checkpoint: version in one byte, table as UTF, length of the lines, lines. Version 1 had
 * no length and ended with its array.
 */
final class LineChunk {
  private static final byte VERSION = 2;
  private static final byte UNSIZED_VERSION = 1;

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

  static LineChunk read(DataInputView source) throws IOException {
    requireVersion(source.readByte(), VERSION);
    String table = source.readUTF();
    byte[] lines = new byte[source.readInt()];
    source.readFully(lines);
    return new LineChunk(table, lines);
  }

  /** Reads version 1. */
  static LineChunk readUnsized(byte[] saved) throws IOException {
    DataInputDeserializer source = new DataInputDeserializer(saved);
    requireVersion(source.readByte(), UNSIZED_VERSION);
    String table = source.readUTF();
    byte[] lines = new byte[source.available()];
    source.readFully(lines);
    return new LineChunk(table, lines);
  }

  private static void requireVersion(byte version, byte expected) throws IOException {
    if (version != expected) {
      throw new IOException(
          "the checkpoint has results for QuestDB in version %d, this job reads version %d: begin with a checkpoint of this job"
              .formatted(version, expected));
    }
  }

  void write(DataOutputView target) throws IOException {
    target.writeByte(VERSION);
    target.writeUTF(table);
    target.writeInt(lines.length);
    target.write(lines);
  }

  String table() {
    return table;
  }

  /** Not a copy. */
  byte[] lines() {
    return lines;
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

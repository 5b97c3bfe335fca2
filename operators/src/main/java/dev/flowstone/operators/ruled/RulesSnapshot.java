// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * What a checkpoint knows of rules.
 *
 * @param submittedText which the job was submitted with; who submits it again with others means
 *     those
 */
record RulesSnapshot(RulesText inForce, String submittedText) {
  private static final int VERSION = 1;

  byte[] toBytes() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(VERSION);
      out.writeLong(inForce.version());
      write(out, inForce.place());
      write(out, inForce.text());
      write(out, submittedText);
    } catch (IOException e) {
      throw new UncheckedIOException("to memory", e);
    }
    return bytes.toByteArray();
  }

  static RulesSnapshot of(byte[] bytes) throws IOException {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      int version = in.readInt();
      if (version != VERSION) {
        throw new IOException(
            "the checkpoint's rules have format " + version + ", this knows " + VERSION);
      }
      RulesText inForce = new RulesText(in.readLong(), read(in), read(in));
      return new RulesSnapshot(inForce, read(in));
    }
  }

  /** Longer than {@code writeUTF} takes. */
  private static void write(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static String read(DataInputStream in) throws IOException {
    return new String(in.readNBytes(in.readInt()), UTF_8);
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Passes on what a script prints, and notices that a statement failed: Flink's client prints why,
 * ends, and tells nobody.
 */
final class ScriptOutput extends FilterOutputStream {
  private static final byte[] FAILED = "[ERROR] Could not execute".getBytes(UTF_8);

  private int matched;
  private boolean hasFailed;

  ScriptOutput(OutputStream out) {
    super(out);
  }

  @Override
  public void write(int each) throws IOException {
    look((byte) each);
    out.write(each);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    for (int i = offset; i < offset + length; i++) {
      look(bytes[i]);
    }
    out.write(bytes, offset, length);
  }

  private void look(byte each) {
    if (each != FAILED[matched]) {
      matched = each == FAILED[0] ? 1 : 0;
    } else if (++matched == FAILED.length) {
      hasFailed = true;
      matched = 0;
    }
  }

  boolean hasFailed() {
    return hasFailed;
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import org.jline.terminal.impl.DumbTerminal;

/**
 * Where a script's answers go. Flink's client also wants to show the statements that it reads,
 * through another buffer, so that half of each comes behind its answer: those are kept back.
 */
final class ScriptTerminal extends DumbTerminal {
  private ScriptTerminal(InputStream nothing, OutputStream answers) throws IOException {
    super(nothing, answers);
  }

  static ScriptTerminal to(OutputStream answers) {
    try {
      return new ScriptTerminal(InputStream.nullInputStream(), answers);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public OutputStream output() {
    return OutputStream.nullOutputStream();
  }
}

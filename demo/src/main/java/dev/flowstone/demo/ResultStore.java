// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.offheap.Reason;
import dev.flowstone.questdb.process.QuestDbProcess;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/** Where results can be asked for, unless the demo is to do without. Its maker closes it. */
final class ResultStore implements AutoCloseable {
  /** QuestDB makes room for columns before there is anything in them. */
  static final long LEAST_BYTES = 1L << 30;

  private final Optional<QuestDbProcess> questDb;

  private ResultStore(Optional<QuestDbProcess> questDb) {
    this.questDb = questDb;
  }

  static ResultStore none() {
    return new ResultStore(Optional.empty());
  }

  /** Starts QuestDB on any free port, its files below this folder, and returns when it answers. */
  static ResultStore start(Path folder) throws IOException, InterruptedException {
    try {
      return new ResultStore(
          Optional.of(QuestDbProcess.start(folder.resolve("questdb"), QuestDbProcess.ANY_PORT)));
    } catch (IOException e) {
      throw new IOException(
          "cannot start QuestDB: "
              + Reason.of(e)
              + "; "
              + DemoOptions.NO_QUESTDB
              + " does without it",
          e);
    }
  }

  boolean isThere() {
    return questDb.isPresent();
  }

  Optional<URI> address() {
    return questDb.map(QuestDbProcess::address);
  }

  /** {@code HOST:PORT} of PostgreSQL's protocol. */
  Optional<String> sqlAddress() {
    return questDb.map(QuestDbProcess::sqlAddress);
  }

  /** Throws with the reason if it has ended. */
  void requireRunning() throws IOException {
    if (questDb.isPresent()) {
      questDb.get().requireRunning();
    }
  }

  @Override
  public void close() {
    questDb.ifPresent(QuestDbProcess::close);
  }
}

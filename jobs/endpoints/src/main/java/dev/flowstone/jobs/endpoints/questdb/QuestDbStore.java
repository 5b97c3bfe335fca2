// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes chunks to their tables. QuestDB takes a request as a whole or names a line that it does
 * not want; the others are sent again without it.
 */
final class QuestDbStore implements ChunkStore {
  private static final Logger LOG = LoggerFactory.getLogger(QuestDbStore.class);

  /** Shared by all of a job in this process that write, and had by one that makes a table anew. */
  private static final ReentrantReadWriteLock MAKING = new ReentrantReadWriteLock();

  private final QuestDb questDb;
  private final DeadLetterLog deadLetters;

  QuestDbStore(QuestDb questDb, DeadLetterLog deadLetters) {
    this.questDb = questDb;
    this.deadLetters = deadLetters;
  }

  @Override
  public int write(LineChunk chunk) throws StoreAwayException, InterruptedException {
    ResultTable table = new ResultTable(chunk.table());
    try {
      return writeTo(table, chunk);
    } catch (TableAwayException e) {
      makeAnewIfHalfMade(table, chunk, e);
      throw e;
    }
  }

  private int writeTo(ResultTable table, LineChunk chunk)
      throws StoreAwayException, InterruptedException {
    MAKING.readLock().lockInterruptibly();
    try {
      table.ensure(questDb, chunk);
      return writeLines(chunk);
    } catch (RefusedException e) {
      deadLetters.tell(chunk.table(), e.getMessage());
      return chunk.count();
    } finally {
      MAKING.readLock().unlock();
    }
  }

  /** Whatever comes of it: the chunk is tried again for the reason that it failed. */
  private void makeAnewIfHalfMade(ResultTable table, LineChunk chunk, TableAwayException why)
      throws InterruptedException {
    if (!MAKING.writeLock().tryLock(1, TimeUnit.SECONDS)) {
      return;
    }
    try {
      if (table.makeAnewIfHalfMade(questDb, chunk)) {
        LOG.warn(
            "QuestDB was stopped while it made the table {}, which took nothing since; it had no rows and is made anew",
            table.name());
      }
    } catch (RefusedException | StoreAwayException notToBeSeen) {
      why.addSuppressed(notToBeSeen);
    } finally {
      MAKING.writeLock().unlock();
    }
  }

  private int writeLines(LineChunk chunk) throws StoreAwayException, InterruptedException {
    if (chunk.lines().length == 0) {
      return 0;
    }
    try {
      questDb.write(chunk.lines());
      return 0;
    } catch (RefusedException e) {
      return writeWithout(e, chunk);
    }
  }

  /**
   * What follows the line goes in halves: were each line bad, a chunk of n lines would be sent some
   * log n times and not n times.
   */
  private int writeWithout(RefusedException refusal, LineChunk chunk)
      throws StoreAwayException, InterruptedException {
    int count = chunk.count();
    int refused = refusal.line();
    if (refused < 0 || refused >= count) {
      if (count > 1) {
        return writeLines(chunk.between(0, count / 2))
            + writeLines(chunk.between(count / 2, count));
      }
      refused = 0;
    }
    deadLetters.tell(
        chunk.table(),
        refusal.getMessage() + ". Its line: " + chunk.between(refused, refused + 1).firstLine());
    int middle = (refused + 1 + count) / 2;
    return 1
        + writeLines(chunk.between(0, refused))
        + writeLines(chunk.between(refused + 1, middle))
        + writeLines(chunk.between(middle, count));
  }

  @Override
  public void close() {
    questDb.close();
  }
}

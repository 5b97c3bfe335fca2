// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.flowstone.results.LineResult;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Results that wait: for the checkpoint after which they may leave, then for the store. The memory
 * bounds them. If it is full, a store that answers takes the oldest, if need be before their
 * checkpoint. Of results that wait for a store that is away, or for a table that cannot be written
 * to, the oldest are dead letters, or the job fails.
 *
 * <p>The task's thread adds, the sender's takes; any thread may call any method.
 */
final class Outbox {
  private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);

  /** A request's size: large enough to cost little, small enough to be sent again for one line. */
  static final int CHUNK_BYTES = 1 << 20;

  private final ResultMemory memory;
  private final WhenFull whenFull;
  private final boolean awaitsCheckpoints;
  private final ResultCounters counters;
  private final DeadLetterLog deadLetters;

  /** Lines of tables whose chunk is not full yet. */
  private final Map<String, ByteArrayOutputStream> open = new LinkedHashMap<>();

  /** Chunks that wait for a checkpoint; a chunk's position is how many were closed before. */
  private final ArrayDeque<LineChunk> held = new ArrayDeque<>();

  /** End of what was closed when a checkpoint began. */
  private final TreeMap<Long, Long> endOfCheckpoint = new TreeMap<>();

  /** Chunks that may leave: those of one table in their order. */
  private final ArrayDeque<LineChunk> leaving = new ArrayDeque<>();

  /** Tables that the store could not write to when it was last asked, though it answers. */
  private final Set<String> failingTables = new TreeSet<>();

  private long endPosition;
  private long unsentBytes;
  private LineChunk inFlight;
  private boolean isStoreAway;
  private boolean isClosed;
  private boolean hasToldDrop;
  private String lastFailure = "";
  private Throwable senderFailure;

  /**
   * An empty one, which belongs to the memory until it is closed.
   *
   * @param awaitsCheckpoints whether results may leave after a checkpoint alone
   */
  Outbox(
      ResultMemory memory,
      WhenFull whenFull,
      boolean awaitsCheckpoints,
      ResultCounters counters,
      DeadLetterLog deadLetters) {
    this.memory = memory;
    this.whenFull = whenFull;
    this.awaitsCheckpoints = awaitsCheckpoints;
    this.counters = counters;
    this.deadLetters = deadLetters;
    memory.addOwner();
  }

  /** Takes over what a checkpoint held; it may leave, for that checkpoint is complete. */
  synchronized void restore(LineChunk chunk) {
    counters.received().inc(chunk.count());
    memory.hold(chunk.lines().length);
    unsentBytes += chunk.lines().length;
    close(chunk);
    letAllLeave();
  }

  /**
   * Adds a result; may wait for the store.
   *
   * @throws IOException if it is full and the job is to fail then
   */
  synchronized void add(LineResult result) throws IOException, InterruptedException {
    counters.received().inc();
    byte[] line = result.line().getBytes(UTF_8);
    if (line.length > CHUNK_BYTES) {
      counters.deadLettered().inc();
      deadLetters.tell(
          result.table(),
          "its line has %,d bytes, and QuestDB is sent %,d at most"
              .formatted(line.length, CHUNK_BYTES));
      return;
    }
    makeRoom(line.length);
    ByteArrayOutputStream lines =
        open.computeIfAbsent(result.table(), _ -> new ByteArrayOutputStream());
    if (lines.size() + line.length > CHUNK_BYTES) {
      close(new LineChunk(result.table(), lines.toByteArray()));
      lines.reset();
    }
    lines.writeBytes(line);
    unsentBytes += line.length;
  }

  /** Counts a result that no line can be made of. */
  synchronized void addUnwritable(String kind, String reason) {
    counters.received().inc();
    counters.deadLettered().inc();
    deadLetters.tell(kind, reason);
  }

  private void makeRoom(int bytes) throws IOException, InterruptedException {
    requireSender();
    while (!memory.tryHold(unsentBytes, bytes)) {
      if (leaving.isEmpty() && held.isEmpty()) {
        closeOpen();
      }
      if (!isStoreAway && (inFlight != null || leaving.stream().anyMatch(this::isOfSoundTable))) {
        wait();
        requireSender();
      } else if (!isStoreAway && leaving.isEmpty()) {
        letOldestLeave();
      } else if (whenFull == WhenFull.FAIL) {
        throw new IOException(full());
      } else if (leaving.isEmpty() && held.isEmpty()) {
        // Only the chunk in flight is left, and the memory of all others is in use.
        memory.hold(bytes);
        return;
      } else {
        dropOldest();
      }
    }
  }

  /** Before its checkpoint. After a failure the job produces it again, mostly as the same rows. */
  private void letOldestLeave() {
    LineChunk oldest = held.remove();
    counters.sentEarly().inc(oldest.count());
    leave(oldest);
    notifyAll();
  }

  private boolean isOfSoundTable(LineChunk chunk) {
    return !failingTables.contains(chunk.table());
  }

  private String full() {
    return "%,d bytes of results wait for QuestDB, which %s, and --questdb-buffer-bytes are full"
        .formatted(
            unsentBytes,
            isStoreAway ? "is away" : "cannot write to " + String.join(", ", failingTables));
  }

  /** But not what the store is just given: nobody could say what became of it. */
  private void dropOldest() {
    if (!hasToldDrop) {
      hasToldDrop = true;
      LOG.error(
          "{}: the oldest are left out and counted as resultsDeadLettered until there is room again",
          full());
    }
    LineChunk oldest;
    if (leaving.isEmpty()) {
      oldest = held.remove();
    } else {
      oldest = leaving.remove();
      counters.unconfirmed().giveUp(oldest.count());
    }
    release(oldest);
    counters.deadLettered().inc(oldest.count());
  }

  private void release(LineChunk chunk) {
    unsentBytes -= chunk.lines().length;
    if (!isClosed) {
      memory.release(chunk.lines().length);
    }
  }

  /** Everything added so far may leave when this checkpoint is complete. */
  synchronized void begin(long checkpoint) {
    closeOpen();
    endOfCheckpoint.put(checkpoint, endPosition);
  }

  /** And what the checkpoints before it held, of whose end nobody may have heard. */
  synchronized void complete(long checkpoint) {
    Map.Entry<Long, Long> end = endOfCheckpoint.floorEntry(checkpoint);
    if (end != null) {
      while (endPosition - held.size() < end.getValue()) {
        leave(held.remove());
      }
      endOfCheckpoint.headMap(checkpoint, true).clear();
      notifyAll();
    }
  }

  /** Nobody will hear of its end: what it held leaves with the next one. */
  synchronized void abort(long checkpoint) {
    endOfCheckpoint.remove(checkpoint);
  }

  /** Where no checkpoint is to be waited for. */
  synchronized void letAllLeave() {
    closeOpen();
    letHeldLeave();
  }

  private void closeOpen() {
    open.forEach(
        (table, lines) -> {
          if (lines.size() > 0) {
            close(new LineChunk(table, lines.toByteArray()));
          }
        });
    open.clear();
  }

  private void close(LineChunk chunk) {
    held.add(chunk);
    endPosition++;
    if (!awaitsCheckpoints) {
      letHeldLeave();
    }
  }

  private void letHeldLeave() {
    held.forEach(this::leave);
    held.clear();
    notifyAll();
  }

  private void leave(LineChunk chunk) {
    leaving.add(chunk);
    counters.unconfirmed().add(chunk.count());
  }

  /** What a checkpoint is to hold: all that the store did not confirm. */
  synchronized List<LineChunk> unsent() throws IOException {
    requireSender();
    List<LineChunk> unsent = new ArrayList<>();
    if (inFlight != null) {
      unsent.add(inFlight);
    }
    unsent.addAll(leaving);
    unsent.addAll(held);
    return unsent;
  }

  /**
   * The oldest chunk, when it may leave. {@link #sent}, {@link #failed}, {@link #tableFailed} or
   * {@link #end} follows.
   */
  synchronized LineChunk take() throws InterruptedException {
    while (leaving.isEmpty()) {
      wait();
    }
    inFlight = leaving.remove();
    return inFlight;
  }

  /**
   * The chunk taken is with the store.
   *
   * @param refused so many of its lines the store does not want
   */
  synchronized void sent(int refused) {
    release(inFlight);
    counters.deadLettered().inc(refused);
    counters.written().inc(inFlight.count() - refused);
    counters.unconfirmed().confirm(inFlight.count());
    failingTables.remove(inFlight.table());
    inFlight = null;
    isStoreAway = false;
    hasToldDrop = hasToldDrop && !failingTables.isEmpty();
    notifyAll();
  }

  /** The chunk taken waits on: the store is away. */
  synchronized void failed(String why) {
    putBack(why);
    isStoreAway = true;
  }

  /**
   * The chunk taken waits on, for its table: those of others may go first, and not one of the same
   * table, for of two results that are one row the later one stays.
   */
  synchronized void tableFailed(String why) {
    String table = inFlight.table();
    putBack(why);
    isStoreAway = false;
    failingTables.add(table);
    List<LineChunk> ofTable =
        leaving.stream().filter(chunk -> chunk.table().equals(table)).toList();
    leaving.removeAll(ofTable);
    leaving.addAll(ofTable);
  }

  private void putBack(String why) {
    counters.commitRetries().inc();
    leaving.addFirst(inFlight);
    inFlight = null;
    lastFailure = why;
    notifyAll();
  }

  /** Nothing is sent any more: whoever adds, waits or makes a checkpoint fails. */
  synchronized void end(Throwable cause) {
    senderFailure = cause;
    notifyAll();
  }

  private void requireSender() throws IOException {
    if (senderFailure != null) {
      throw new IOException("no results are sent to QuestDB any more", senderFailure);
    }
  }

  /** Why the latest chunk that failed did; empty: none has. */
  synchronized String lastFailure() {
    return lastFailure;
  }

  synchronized boolean isStoreAway() {
    return isStoreAway;
  }

  synchronized int failingTables() {
    return failingTables.size();
  }

  synchronized long unsentBytes() {
    return unsentBytes;
  }

  synchronized long waiting() {
    return counters.received().getCount()
        - counters.written().getCount()
        - counters.deadLettered().getCount();
  }

  /** Waits until nothing that may leave is left; false: something is after that time. */
  synchronized boolean awaitSent(Duration limit) throws IOException, InterruptedException {
    long deadlineNs = System.nanoTime() + limit.toNanos();
    while (inFlight != null || !leaving.isEmpty()) {
      long leftNs = deadlineNs - System.nanoTime();
      if (leftNs <= 0) {
        return false;
      }
      requireSender();
      TimeUnit.NANOSECONDS.timedWait(this, leftNs);
    }
    return true;
  }

  /** Gives its part of the memory back. Nothing is added to it any more. */
  synchronized void close() {
    isClosed = true;
    memory.removeOwner(unsentBytes);
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.alert;

import dev.flowstone.jobs.anomaly.pane.SavedFormat;
import dev.flowstone.jobs.anomaly.pane.Subject;
import dev.flowstone.jobs.anomaly.pane.Terms;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;

/**
 * All that one subtask knows of its subjects, by key group, and when each has to be looked at. They
 * come and go by ten thousands within a window: so they are on the heap, and a checkpoint writes
 * them as they are. One thread.
 */
final class Standings {
  private static final int FORMAT = 1;
  private static final int WRITTEN_AT_ONCE_BYTES = 1 << 15;

  private final KeyGroupRange mine;
  private final int maxParallelism;
  private final List<Map<Subject, Standing>> byKeyGroup = new ArrayList<>();

  /** By the watermark at which they have to be looked at; each once at most. */
  private final TreeMap<Long, Set<Standing>> due = new TreeMap<>();

  private int size;
  private long bytes;

  Standings(KeyGroupRange mine, int maxParallelism) {
    this.mine = mine;
    this.maxParallelism = maxParallelism;
    mine.forEach(_ -> byKeyGroup.add(new HashMap<>()));
  }

  /** How many subjects there are. */
  int size() {
    return size;
  }

  /** What they take of the heap, about. */
  long bytes() {
    return bytes;
  }

  /** How many of them have to be looked at some time. */
  int dues() {
    return due.values().stream().mapToInt(Set::size).sum();
  }

  /** Null: it is not known. */
  Standing of(Subject subject) {
    return ofItsGroup(subject).get(subject);
  }

  private Map<Subject, Standing> ofItsGroup(Subject subject) {
    int keyGroup = KeyGroupRangeAssignment.assignToKeyGroup(subject, maxParallelism);
    return byKeyGroup.get(keyGroup - mine.getStartKeyGroup());
  }

  void add(Standing standing) {
    ofItsGroup(standing.subject()).put(standing.subject(), standing);
    size++;
    bytes += standing.memoryBytes();
  }

  void remove(Standing standing) {
    lookAt(standing, Standing.NEVER);
    ofItsGroup(standing.subject()).remove(standing.subject());
    size--;
    bytes -= standing.memoryBytes();
  }

  /** One of them has grown, or become smaller. */
  void grew(int moreBytes) {
    bytes += moreBytes;
  }

  /** At a watermark, and not at the one it was due at before. */
  void lookAt(Standing standing, long watermarkMs) {
    long beforeMs = standing.dueMs();
    if (beforeMs == watermarkMs) {
      return;
    }
    if (beforeMs != Standing.NEVER) {
      Set<Standing> before = due.get(beforeMs);
      before.remove(standing);
      if (before.isEmpty()) {
        due.remove(beforeMs);
      }
    }
    if (watermarkMs != Standing.NEVER) {
      due.computeIfAbsent(watermarkMs, _ -> new LinkedHashSet<>()).add(standing);
    }
    standing.dueAt(watermarkMs);
  }

  /** Those that have to be looked at at a watermark. */
  record Due(long watermarkMs, Set<Standing> standings) {}

  /** The first, not after this watermark: they are due no more. Null: there are none. */
  Due takeFirst(long watermarkMs) {
    if (due.isEmpty() || due.firstKey() > watermarkMs) {
      return null;
    }
    var first = due.pollFirstEntry();
    first.getValue().forEach(each -> each.dueAt(Standing.NEVER));
    return new Due(first.getKey(), first.getValue());
  }

  /** For {@link #read}: one after the other, for all of a group may be a lot. */
  void write(int keyGroup, OutputStream stream) throws IOException {
    Map<Subject, Standing> standings = byKeyGroup.get(keyGroup - mine.getStartKeyGroup());
    Map<Terms, Integer> numbers = new LinkedHashMap<>();
    for (Standing each : standings.values()) {
      numbers.putIfAbsent(each.terms(), numbers.size());
    }
    DataOutputSerializer out = new DataOutputSerializer(2 * WRITTEN_AT_ONCE_BYTES);
    out.writeInt(FORMAT);
    out.writeInt(numbers.size());
    for (Terms terms : numbers.keySet()) {
      terms.write(out);
    }
    out.writeInt(standings.size());
    for (Standing each : standings.values()) {
      out.writeInt(numbers.get(each.terms()));
      each.write(out);
      if (out.length() >= WRITTEN_AT_ONCE_BYTES) {
        stream.write(out.getSharedBuffer(), 0, out.length());
        out.clear();
      }
    }
    stream.write(out.getSharedBuffer(), 0, out.length());
  }

  /** Adds what {@link #write} wrote of a key group that is this one's now. */
  void read(DataInputView in) throws IOException {
    SavedFormat.require("alerts", in.readInt(), FORMAT);
    Terms[] terms = new Terms[in.readInt()];
    for (int i = 0; i < terms.length; i++) {
      terms[i] = Terms.read(in);
    }
    int count = in.readInt();
    for (int i = 0; i < count; i++) {
      Standing standing = Standing.read(terms[in.readInt()], in);
      add(standing);
      lookAt(standing, standing.lookAfter(standing.judgedPane()));
    }
  }
}

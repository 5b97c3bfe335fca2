// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.alert;

import dev.flowstone.jobs.anomaly.pane.Subject;
import dev.flowstone.jobs.anomaly.pane.Terms;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;

/**
 * All that one subtask knows of its subjects, by key group, and when each has to be looked at. They
 * come and go by ten thousands within a window: so they are on the heap, and a checkpoint writes
 * them as they are. One thread.
 */
final class Standings {
  private static final int FORMAT = 1;

  private final KeyGroupRange mine;
  private final int maxParallelism;
  private final List<Map<Subject, Standing>> byKeyGroup = new ArrayList<>();

  /** By the watermark that says that all of a pane has come. */
  private final TreeMap<Long, List<Due>> due = new TreeMap<>();

  private int size;
  private long bytes;

  /** A pane of a subject that is complete. */
  record Due(Standing standing, long pane) {}

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

  /** How many times somebody has to be looked at. */
  int dues() {
    return due.values().stream().mapToInt(List::size).sum();
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

  /** Who is gone already may still have been due, and its subject may be back. */
  void remove(Standing standing) {
    if (ofItsGroup(standing.subject()).remove(standing.subject(), standing)) {
      size--;
      bytes -= standing.memoryBytes();
    }
  }

  /** One of them has grown, or become smaller. */
  void grew(int moreBytes) {
    bytes += moreBytes;
  }

  void lookAt(Standing standing, long pane) {
    due.computeIfAbsent(standing.terms().lastMs(pane), _ -> new ArrayList<>())
        .add(new Due(standing, pane));
  }

  /** Those that have to be looked at first, and not after this watermark; null: nobody has. */
  Map.Entry<Long, List<Due>> takeFirst(long watermarkMs) {
    return due.isEmpty() || due.firstKey() > watermarkMs ? null : due.pollFirstEntry();
  }

  /** For {@link #read}. */
  void write(int keyGroup, DataOutputView out) throws IOException {
    Map<Subject, Standing> standings = byKeyGroup.get(keyGroup - mine.getStartKeyGroup());
    Map<Terms, Integer> numbers = new LinkedHashMap<>();
    for (Standing each : standings.values()) {
      numbers.putIfAbsent(each.terms(), numbers.size());
    }
    out.writeInt(FORMAT);
    out.writeInt(numbers.size());
    for (Terms terms : numbers.keySet()) {
      terms.write(out);
    }
    out.writeInt(standings.size());
    for (Standing each : standings.values()) {
      out.writeInt(numbers.get(each.terms()));
      each.write(out);
    }
  }

  /** Adds what {@link #write} wrote of a key group that is this one's now. */
  void read(DataInputView in) throws IOException {
    int format = in.readInt();
    if (format != FORMAT) {
      throw new IOException(
          "alerts' state of format "
              + format
              + ", this release knows "
              + FORMAT
              + "; restore with the release that wrote the checkpoint");
    }
    Terms[] terms = new Terms[in.readInt()];
    for (int i = 0; i < terms.length; i++) {
      terms[i] = Terms.read(in);
    }
    int count = in.readInt();
    for (int i = 0; i < count; i++) {
      Standing standing = Standing.read(terms[in.readInt()], in);
      add(standing);
      standing.forEachToJudge(pane -> lookAt(standing, pane));
    }
  }
}

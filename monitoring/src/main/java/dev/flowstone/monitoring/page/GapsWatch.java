// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;

/**
 * The latest minutes of a job's inter-arrival times by rule. Of what it knows it asks only for the
 * end again, which late results may still change. One thread looks; any thread may ask for what is
 * new.
 */
final class GapsWatch {
  static final Duration SPAN = Duration.ofMinutes(5);

  /** So long after its end a result of an interval may come. */
  private static final Duration LATE = Duration.ofSeconds(10);

  /** More rules than a page can show, a second each. */
  static final int MOST = 10_000;

  private static final long NS_PER_MS = 1_000_000;

  private static final String OF_RULES =
      " FROM histogram WHERE measure = 'inter_arrival' AND per = 'rule' AND job = ";

  private final QuestDb store;
  private final ShownJob job;
  private final TreeMap<Key, Known> columns = new TreeMap<>();
  private long revision;
  private String shown = "";
  private long jobs;

  /** Of what ended by then a part may be missing. */
  private Optional<Instant> cutAt = Optional.empty();

  private record Key(long beginNs, String rule) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int byTime = Long.compare(beginNs, other.beginNs);
      return byTime == 0 ? rule.compareTo(other.rule) : byTime;
    }
  }

  /**
   * @param revision in which it became so
   */
  private record Known(long revision, GapColumn.View view) {}

  GapsWatch(QuestDb store, ShownJob job) {
    this.store = store;
    this.job = job;
  }

  /** How often something has changed so far. */
  long look() throws IOException, InterruptedException {
    String name = QuestDb.quoted(show(job.name()));
    List<Map<String, JsonNode>> latest =
        store.rows("SELECT time" + OF_RULES + name + " ORDER BY time DESC LIMIT 1");
    if (!latest.isEmpty()) {
      Instant end = Instant.parse(value(latest.getFirst(), "time").asText());
      take(
          store.rows(
              "SELECT rule, begin_ns, end_ns, overflow, max, histogram"
                  + OF_RULES
                  + name
                  + " AND time > '"
                  + from(end)
                  + "' ORDER BY time LIMIT -"
                  + MOST),
          end);
    }
    return revision();
  }

  private synchronized String show(String name) {
    if (!name.equals(shown)) {
      shown = name;
      jobs++;
      columns.clear();
      cutAt = Optional.empty();
    }
    return name;
  }

  private synchronized Instant from(Instant end) {
    Instant oldest = end.minus(SPAN);
    if (columns.isEmpty()) {
      return oldest;
    }
    Instant known = Instant.ofEpochMilli(columns.lastEntry().getValue().view.endMs()).minus(LATE);
    return known.isAfter(end) || known.isBefore(oldest) ? oldest : known;
  }

  private synchronized void take(List<Map<String, JsonNode>> rows, Instant end) {
    boolean isCut = rows.size() == MOST;
    // Of the oldest interval only a part may have come.
    long cutNs = isCut ? value(rows.getFirst(), "begin_ns").asLong() : Long.MIN_VALUE;
    if (isCut) {
      long endMs = value(rows.getFirst(), "end_ns").asLong() / NS_PER_MS;
      cutAt = Optional.of(Instant.ofEpochMilli(endMs));
    }
    Instant oldest = end.minus(SPAN);
    cutAt = cutAt.filter(cut -> cut.isAfter(oldest));
    Map<Key, GapColumn> told = new TreeMap<>();
    for (Map<String, JsonNode> row : rows) {
      if (value(row, "begin_ns").asLong() == cutNs) {
        continue;
      }
      String rule = value(row, "rule").asText();
      long beginNs = value(row, "begin_ns").asLong();
      told.computeIfAbsent(
              new Key(beginNs, rule),
              _ -> new GapColumn(rule, beginNs, value(row, "end_ns").asLong()))
          .add(
              value(row, "histogram").asText(),
              value(row, "overflow").asLong(),
              value(row, "max").asLong());
    }
    boolean hasChanged = false;
    for (Map.Entry<Key, GapColumn> each : told.entrySet()) {
      GapColumn.View view = each.getValue().view();
      Known known = columns.get(each.getKey());
      if (known == null || !known.view.equals(view)) {
        columns.put(each.getKey(), new Known(revision + 1, view));
        hasChanged = true;
      }
    }
    revision += hasChanged ? 1 : 0;
    columns.values().removeIf(known -> known.view.endMs() < oldest.toEpochMilli());
  }

  private static JsonNode value(Map<String, JsonNode> row, String column) {
    return row.getOrDefault(column, MissingNode.getInstance());
  }

  private synchronized long revision() {
    return revision;
  }

  /**
   * What is known at one moment.
   *
   * @param jobs how many have been shown: what is known of one is nothing of another
   * @param revision of the newest of the columns
   * @param problem what it cannot tell, in words
   */
  record News(long jobs, long revision, List<GapColumn.View> columns, Optional<String> problem) {}

  /**
   * @param known which revision whoever asks knows, by how many jobs have been shown
   */
  synchronized News news(LongUnaryOperator known) {
    long knownRevision = known.applyAsLong(jobs);
    List<GapColumn.View> newer =
        columns.values().stream()
            .filter(each -> each.revision > knownRevision)
            .map(Known::view)
            .toList();
    return new News(
        jobs,
        revision,
        newer,
        cutAt.map(
            cut ->
                "the job tells of more inter-arrival times than the %,d rows that are asked for: what is older than %s may be missing"
                    .formatted(MOST, cut)));
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.jobs.anomaly.alert.Alert;
import dev.flowstone.jobs.anomaly.alert.AlertOperator;
import dev.flowstone.jobs.anomaly.alert.SynWindow;
import dev.flowstone.jobs.anomaly.pane.PaneOperator;
import dev.flowstone.jobs.anomaly.pane.PanePart;
import dev.flowstone.jobs.anomaly.pane.Subject;
import dev.flowstone.operators.ruled.RuledBlock;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.rules.function.Anomaly;
import dev.flowstone.rules.function.Detector;
import dev.flowstone.rules.function.Detector.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;

/** The operators one behind the other, in Flink's own harnesses: some subtasks, then one. */
@SuppressWarnings("try") // Its close throws whatever the operators' do.
final class DetectorRun implements AutoCloseable {
  private static final int MAX_PARALLELISM = 128;
  private static final long USUAL_SUM_BYTES = 1 << 20;

  private final RulesInForce rules;
  private final List<OneInputStreamOperatorTestHarness<RuledBlock, PanePart>> subtasks =
      new ArrayList<>();
  private final long[] marksMs;
  private final long watchedBytes;
  private final long sumBytes;
  private final Set<Subject> turnedAway = new HashSet<>();
  private KeyedOneInputStreamOperatorTestHarness<Subject, PanePart, Alert> alerting;
  private long markMs = Long.MIN_VALUE;

  DetectorRun(RulesInForce rules, int subtaskCount) throws Exception {
    this(rules, subtaskCount, Anomalies.USUAL_WATCHED_BYTES, USUAL_SUM_BYTES);
  }

  /** With other bounds of what is watched, and of what is summed up before it is sent. */
  DetectorRun(RulesInForce rules, int subtaskCount, long watchedBytes, long sumBytes)
      throws Exception {
    this.rules = rules;
    this.sumBytes = sumBytes;
    this.watchedBytes = watchedBytes;
    marksMs = new long[subtaskCount];
    for (int i = 0; i < subtaskCount; i++) {
      subtasks.add(subtask(i));
      subtasks.get(i).open();
      marksMs[i] = Long.MIN_VALUE;
    }
    alerting = alertingSubtask();
    alerting.open();
  }

  private KeyedOneInputStreamOperatorTestHarness<Subject, PanePart, Alert> alertingSubtask()
      throws Exception {
    return new KeyedOneInputStreamOperatorTestHarness<>(
        new AlertOperator(watchedBytes), PanePart::subject, TypeInformation.of(Subject.class));
  }

  /** A checkpoint, and what judges anew from it; what it told before is forgotten here. */
  void restartAlerts() throws Exception {
    OperatorSubtaskState state = alerting.snapshot(1, 1);
    alerting.close();
    alerting = alertingSubtask();
    alerting.initializeState(state);
    alerting.open();
  }

  private OneInputStreamOperatorTestHarness<RuledBlock, PanePart> subtask(int index)
      throws Exception {
    var subtask =
        new OneInputStreamOperatorTestHarness<>(
            new PaneOperator(sumBytes), MAX_PARALLELISM, marksMs.length, index);
    subtask.setup();
    subtask.getExecutionConfig().enableObjectReuse();
    return subtask;
  }

  static DetectorRun of(Detector... detectors) throws Exception {
    return new DetectorRun(RulesInForce.everyPacket(new Anomaly(List.of(detectors))), 1);
  }

  /** Tumbling windows of 5 s. */
  static Detector detector(Kind kind, long threshold) {
    return detector(kind, threshold, Duration.ofSeconds(5), Duration.ofSeconds(5));
  }

  static Detector detector(Kind kind, long threshold, Duration window, Duration slide) {
    return new Detector(
        kind, threshold, List.of(), window, slide, Optional.empty(), Optional.empty());
  }

  void give(PacketBlock block) throws Exception {
    give(0, RuledBlock.of(block, rules, 0));
  }

  void give(int subtask, RuledBlock block) throws Exception {
    subtasks.get(subtask).processElement(new StreamRecord<>(block, 0));
    carry(subtask);
  }

  void mark(long watermarkMs) throws Exception {
    for (int i = 0; i < marksMs.length; i++) {
      mark(i, watermarkMs);
    }
  }

  void mark(int subtask, long watermarkMs) throws Exception {
    subtasks.get(subtask).processWatermark(watermarkMs);
    carry(subtask);
  }

  /** A checkpoint, and that subtask anew from it: what it has summed up leaves. */
  void restartPanes(int subtask) throws Exception {
    OperatorSubtaskState state = subtasks.get(subtask).snapshot(1, 1);
    carry(subtask);
    subtasks.get(subtask).close();
    subtasks.set(subtask, subtask(subtask));
    subtasks.get(subtask).initializeState(state);
    subtasks.get(subtask).open();
    carry(subtask);
  }

  private void carry(int subtask) throws Exception {
    Queue<Object> sent = subtasks.get(subtask).getOutput();
    for (Object each = sent.poll(); each != null; each = sent.poll()) {
      switch (each) {
        case StreamRecord<?> part -> judge((PanePart) part.getValue(), part.getTimestamp());
        case Watermark mark -> tell(subtask, mark.getTimestamp());
        default -> throw new AssertionError(each);
      }
    }
  }

  private void judge(PanePart part, long timeMs) throws Exception {
    long before = packetsWithoutRoom();
    alerting.processElement(new StreamRecord<>(part, timeMs));
    if (packetsWithoutRoom() > before) {
      turnedAway.add(part.subject());
    }
  }

  long packetsWithoutRoom() {
    return ((AlertOperator) alerting.getOneInputOperator()).packetsWithoutRoom();
  }

  /** Subjects that found no room at some time. */
  Set<Subject> turnedAway() {
    return turnedAway;
  }

  private void tell(int subtask, long toldMs) throws Exception {
    marksMs[subtask] = toldMs;
    long least = Long.MAX_VALUE;
    for (long each : marksMs) {
      least = Math.min(least, each);
    }
    if (least > markMs) {
      markMs = least;
      alerting.processWatermark(least);
    }
  }

  List<Alert> end() throws Exception {
    mark(Long.MAX_VALUE);
    return alerts();
  }

  List<Alert> alerts() {
    return alerting.extractOutputValues();
  }

  List<SynWindow> synWindows() {
    var output = alerting.getSideOutput(AlertOperator.SYN_WINDOWS);
    return output == null ? List.of() : output.stream().map(StreamRecord::getValue).toList();
  }

  PaneOperator panes() {
    return (PaneOperator) subtasks.getFirst().getOneInputOperator();
  }

  int subtaskCount() {
    return marksMs.length;
  }

  /** Whether what judges knows nothing any more of any subject. */
  boolean isForgotten() {
    return ((AlertOperator) alerting.getOneInputOperator()).isEmpty();
  }

  @Override
  public void close() throws Exception {
    for (var each : subtasks) {
      each.close();
    }
    alerting.close();
  }
}

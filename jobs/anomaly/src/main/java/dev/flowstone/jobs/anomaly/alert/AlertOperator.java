// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.alert;

import dev.flowstone.connector.fpga.operators.KeyGroupState;
import dev.flowstone.jobs.anomaly.pane.Pane;
import dev.flowstone.jobs.anomaly.pane.PanePart;
import dev.flowstone.jobs.anomaly.pane.Terms;
import dev.flowstone.rules.function.Detector.Kind;
import dev.flowstone.stages.StageMetrics;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupStatePartitionStreamProvider;
import org.apache.flink.runtime.state.KeyedStateCheckpointOutputStream;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts a subject's panes together and judges each window when the watermark has passed it. It keeps
 * the panes of a window, whether an alert is open, and what is usual; a subject of which there is
 * none of these is forgotten. Its room is bounded: newcomers that find none wait until others have
 * left, and those that are known have twice as much.
 */
public final class AlertOperator extends AbstractStreamOperator<Alert>
    implements OneInputStreamOperator<PanePart, Alert> {
  private static final long serialVersionUID = 1L;

  public static final OutputTag<SynWindow> SYN_WINDOWS =
      new OutputTag<>("syn-windows", TypeInformation.of(SynWindow.class));

  private static final Logger LOG = LoggerFactory.getLogger(AlertOperator.class);

  /** With those of former rules; beyond, all are forgotten and read again. */
  private static final int MOST_KNOWN_TERMS = 1 << 14;

  /** So much more than newcomers may those take that are known. */
  private static final int OF_KNOWN = 2;

  private final long mostBytes;

  private transient KeyGroupRange mine;
  private transient Standings standings;
  private transient Map<ByteBuffer, Terms> knownTerms;
  private transient long watermarkMs;
  private transient StreamRecord<Alert> alertRecord;
  private transient StreamRecord<SynWindow> windowRecord;
  private transient Counter partsIn;
  private transient Counter partsWithoutRoom;
  private transient Counter packetsWithoutRoom;
  private transient Counter packetsLate;
  private transient Counter synWindowsOut;
  private transient Counter alertsOpened;
  private transient Counter alertsUpdated;
  private transient Counter alertsClosed;

  /**
   * An operator of each subtask.
   *
   * @param mostBytes of the heap that its subjects may take before there is no room for another
   */
  public AlertOperator(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    KeyGroupState keyGroups = KeyGroupState.of(getRuntimeContext().getTaskInfo());
    mine = keyGroups.mine();
    standings = new Standings(mine, keyGroups.maxParallelism());
    for (KeyGroupStatePartitionStreamProvider saved : context.getRawKeyedStateInputs()) {
      try (InputStream stream = new BufferedInputStream(saved.getStream())) {
        standings.read(new DataInputViewStreamWrapper(stream));
      }
    }
  }

  /** Flink then leaves that stream to this operator, which has no timers of Flink's. */
  @Override
  protected boolean isUsingCustomRawKeyedState() {
    return true;
  }

  /** Nothing is in Flink's own keyed state. */
  @Override
  @SuppressWarnings("rawtypes")
  public void setKeyContextElement1(StreamRecord element) {}

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    KeyedStateCheckpointOutputStream stream = context.getRawKeyedOperatorStateOutput();
    for (int keyGroup : mine) {
      stream.startNewKeyGroup(keyGroup);
      standings.write(keyGroup, stream);
    }
  }

  @Override
  public void open() throws Exception {
    super.open();
    knownTerms = new HashMap<>();
    watermarkMs = Long.MIN_VALUE;
    alertRecord = new StreamRecord<>(null);
    windowRecord = new StreamRecord<>(null);
    MetricGroup metrics = StageMetrics.of(getMetricGroup());
    partsIn = metrics.counter("partsIn");
    partsWithoutRoom = metrics.counter("partsWithoutRoom");
    packetsWithoutRoom = metrics.counter("packetsWithoutRoom");
    metrics.gauge("subjects", (Gauge<Integer>) () -> standings.size());
    metrics.gauge("subjectBytes", (Gauge<Long>) () -> standings.bytes());
    packetsLate = metrics.counter("packetsLate");
    synWindowsOut = metrics.counter("synWindowsOut");
    alertsOpened = metrics.counter("alertsOpened");
    alertsUpdated = metrics.counter("alertsUpdated");
    alertsClosed = metrics.counter("alertsClosed");
  }

  @Override
  public void processElement(StreamRecord<PanePart> element) throws IOException {
    PanePart part = element.getValue();
    partsIn.inc();
    Terms terms = known(part.terms());
    Standing standing = standings.of(part.subject());
    if (terms.lastMs(part.number()) <= watermarkMs
        || (standing != null && standing.isJudged(part.number()))) {
      packetsLate.inc(part.pane().packets());
      return;
    }
    if (standings.bytes() >= (standing == null ? mostBytes : OF_KNOWN * mostBytes)) {
      passBy(part);
      return;
    }
    if (standing == null) {
      standing = new Standing(part.subject(), terms);
      standings.add(standing);
    }
    int before = standing.memoryBytes();
    standing.putUnder(terms);
    standing.add(part.number(), part.pane());
    standings.lookAt(standing, Math.min(standing.dueMs(), terms.lastMs(part.number())));
    standings.grew(standing.memoryBytes() - before);
  }

  /** They come with each part, and are few. */
  private Terms known(byte[] bytes) throws IOException {
    Terms known = knownTerms.get(ByteBuffer.wrap(bytes));
    if (known == null) {
      if (knownTerms.size() == MOST_KNOWN_TERMS) {
        knownTerms.clear();
      }
      known = Terms.of(bytes);
      knownTerms.put(ByteBuffer.wrap(bytes), known);
    }
    return known;
  }

  /** Who is known has room for longer, so that newcomers push nobody out of windows. */
  private void passBy(PanePart part) {
    if (partsWithoutRoom.getCount() == 0) {
      LOG.warn(
          "{} addresses are watched, which take {} MB, and there is no room for more of {} and"
              + " others: they are in no window while it lasts, and partsWithoutRoom counts; more"
              + " room: --watched-bytes, fewer: rules with a match",
          standings.size(),
          standings.bytes() >> 20,
          part.subject());
    }
    partsWithoutRoom.inc();
    packetsWithoutRoom.inc(part.pane().packets());
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    watermarkMs = mark.getTimestamp();
    for (Standings.Due due = standings.takeFirst(watermarkMs);
        due != null;
        due = standings.takeFirst(watermarkMs)) {
      for (Standing each : due.standings()) {
        judge(each, each.terms().paneOf(due.watermarkMs()));
      }
    }
    super.processWatermark(mark);
  }

  private void judge(Standing standing, long pane) {
    Terms terms = standing.terms();
    int before = standing.memoryBytes();
    if (standing.hasPanesUpTo(pane) || standing.course().isOpen()) {
      Pane window = standing.windowUpTo(pane);
      Course.Verdict verdict = standing.course().judge(terms, pane, window, standing.pane(pane));
      tell(standing, pane, window, verdict);
      standing.judged(pane, verdict.next());
    }
    standing.forgetPassed(pane);
    standings.grew(standing.memoryBytes() - before);
    long nextMs = standing.lookAfter(pane);
    if (nextMs == Standing.NEVER) {
      standings.remove(standing);
    } else {
      standings.lookAt(standing, nextMs);
    }
  }

  private void tell(Standing standing, long pane, Pane window, Course.Verdict verdict) {
    Terms terms = standing.terms();
    if (terms.kind() == Kind.SYN_FLOOD && window.packets() > terms.threshold()) {
      synWindowsOut.inc();
      SynWindow told =
          new SynWindow(
              terms.rule(),
              terms.detector(),
              standing.subject().address(),
              terms.endNs(pane) - terms.windowNs(),
              terms.endNs(pane),
              window.packets(),
              terms.threshold());
      output.collect(SYN_WINDOWS, windowRecord.replace(told, terms.lastMs(pane)));
    }
    if (verdict.told() != null) {
      counterOf(verdict.told()).inc();
      Alert told = Alert.of(standing.subject(), terms, pane, window, verdict);
      output.collect(alertRecord.replace(told, terms.lastMs(pane)));
    }
  }

  private Counter counterOf(Alert.State state) {
    return switch (state) {
      case OPENED -> alertsOpened;
      case UPDATED -> alertsUpdated;
      case CLOSED -> alertsClosed;
    };
  }

  public long packetsWithoutRoom() {
    return packetsWithoutRoom.getCount();
  }

  /** Whether it knows nothing any more of any subject. */
  public boolean isEmpty() {
    return standings.size() == 0 && standings.dues() == 0 && standings.bytes() == 0;
  }
}

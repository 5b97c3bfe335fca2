// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.alert;

import dev.flowstone.jobs.anomaly.pane.Pane;
import dev.flowstone.jobs.anomaly.pane.PanePart;
import dev.flowstone.jobs.anomaly.pane.PaneSum;
import dev.flowstone.jobs.anomaly.pane.Subject;
import dev.flowstone.jobs.anomaly.pane.Terms;
import dev.flowstone.rules.function.Detector.Kind;
import dev.flowstone.stages.StageMetrics;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts a subject's panes together and judges each window when the watermark has passed it. Of a
 * subject it keeps the panes of a window, and no longer than an alert is open or something is usual
 * nothing at all. Of subjects it knows a bounded number; those that find no room wait until others
 * have left.
 */
public final class AlertFunction extends KeyedProcessFunction<Subject, PanePart, Alert> {
  private static final long serialVersionUID = 1L;

  public static final OutputTag<SynWindow> SYN_WINDOWS =
      new OutputTag<>("syn-windows", TypeInformation.of(SynWindow.class));

  static final String STANDING = "standing";

  private static final Logger LOG = LoggerFactory.getLogger(AlertFunction.class);
  private static final Pane NOTHING = new PaneSum().toPane();

  private final int mostSubjects;

  private transient ValueState<Standing> standings;
  private transient MapState<Long, Pane> panes;
  private transient Counter partsIn;
  private transient Counter partsWithoutRoom;
  private transient Counter packetsWithoutRoom;
  private transient Counter packetsLate;
  private transient Counter synWindowsOut;
  private transient Counter alertsOpened;
  private transient Counter alertsUpdated;
  private transient Counter alertsClosed;
  private transient int subjects;

  AlertFunction(int mostSubjects) {
    this.mostSubjects = mostSubjects;
  }

  /** How many subjects have state when it begins. */
  void knows(int count) {
    subjects = count;
  }

  @Override
  public void open(OpenContext context) {
    standings =
        getRuntimeContext()
            .getState(new ValueStateDescriptor<>(STANDING, TypeInformation.of(Standing.class)));
    panes =
        getRuntimeContext()
            .getMapState(
                new MapStateDescriptor<>("panes", Types.LONG, TypeInformation.of(Pane.class)));
    MetricGroup metrics = StageMetrics.of(getRuntimeContext().getMetricGroup());
    partsIn = metrics.counter("partsIn");
    partsWithoutRoom = metrics.counter("partsWithoutRoom");
    packetsWithoutRoom = metrics.counter("packetsWithoutRoom");
    metrics.gauge("subjects", (Gauge<Integer>) () -> subjects);
    packetsLate = metrics.counter("packetsLate");
    synWindowsOut = metrics.counter("synWindowsOut");
    alertsOpened = metrics.counter("alertsOpened");
    alertsUpdated = metrics.counter("alertsUpdated");
    alertsClosed = metrics.counter("alertsClosed");
  }

  @Override
  public void processElement(PanePart part, Context context, Collector<Alert> alerts)
      throws Exception {
    partsIn.inc();
    Terms terms = part.terms();
    Standing standing = standings.value();
    long lastMs = terms.lastMs(part.number());
    if (lastMs <= context.timerService().currentWatermark()
        || (standing != null && part.number() <= standing.judgedPane())) {
      packetsLate.inc(part.pane().packets());
      return;
    }
    if (standing == null) {
      if (subjects >= mostSubjects) {
        passBy(part);
        return;
      }
      subjects++;
      standings.update(Standing.begin(terms));
    } else if (!standing.terms().equals(terms)) {
      standings.update(new Standing(terms, standing.judgedPane(), standing.course()));
    }
    // Nobody who is not known has panes.
    Pane before = standing == null ? null : panes.get(part.number());
    panes.put(
        part.number(),
        before == null ? part.pane() : new PaneSum().add(before).add(part.pane()).toPane());
    context.timerService().registerEventTimeTimer(lastMs);
  }

  /** Who is known stays, with an open alert or without; others have to wait for one to leave. */
  private void passBy(PanePart part) {
    if (partsWithoutRoom.getCount() == 0) {
      LOG.warn(
          "{} addresses are watched, and there is no room for {} and others: they are in no window"
              + " while it lasts, and partsWithoutRoom counts; more room: --most-subjects, fewer:"
              + " rules with a match",
          subjects,
          part.subject());
    }
    partsWithoutRoom.inc();
    packetsWithoutRoom.inc(part.pane().packets());
  }

  long packetsWithoutRoom() {
    return packetsWithoutRoom.getCount();
  }

  @Override
  public void onTimer(long timestampMs, OnTimerContext context, Collector<Alert> alerts)
      throws Exception {
    Standing standing = standings.value();
    if (standing == null) {
      return;
    }
    Terms terms = standing.terms();
    long pane = terms.paneOf(timestampMs);
    if (pane <= standing.judgedPane()) {
      return;
    }
    NavigableMap<Long, Pane> known = known();
    List<Pane> ofWindow =
        List.copyOf(known.subMap(pane - terms.panes(), false, pane, true).values());
    Course course = standing.course();
    boolean isJudged = !ofWindow.isEmpty() || course.isOpen();
    if (isJudged) {
      Pane window = together(ofWindow);
      Course.Verdict verdict = course.judge(terms, pane, window, known.get(pane));
      tell(context.getCurrentKey(), terms, pane, window, verdict, context, alerts);
      course = verdict.next();
    }
    forgetPassed(terms, pane, known);
    if (!looksAgain(terms, pane, course, known, context) && known.isEmpty()) {
      subjects--;
      standings.clear();
    } else if (isJudged) {
      standings.update(new Standing(terms, pane, course));
    }
  }

  /** The subject's panes, asked for once: each look at state takes its time. */
  private NavigableMap<Long, Pane> known() throws Exception {
    NavigableMap<Long, Pane> known = new TreeMap<>();
    for (Map.Entry<Long, Pane> each : panes.entries()) {
      known.put(each.getKey(), each.getValue());
    }
    return known;
  }

  private static Pane together(List<Pane> panes) {
    if (panes.size() <= 1) {
      return panes.isEmpty() ? NOTHING : panes.getFirst();
    }
    PaneSum sum = new PaneSum();
    panes.forEach(sum::add);
    return sum.toPane();
  }

  private void tell(
      Subject subject,
      Terms terms,
      long pane,
      Pane window,
      Course.Verdict verdict,
      OnTimerContext context,
      Collector<Alert> alerts) {
    if (terms.kind() == Kind.SYN_FLOOD && window.packets() > terms.threshold()) {
      synWindowsOut.inc();
      context.output(
          SYN_WINDOWS,
          new SynWindow(
              terms.rule(),
              terms.detector(),
              subject.address(),
              terms.endNs(pane) - terms.windowNs(),
              terms.endNs(pane),
              window.packets(),
              terms.threshold()));
    }
    if (verdict.told() != null) {
      counterOf(verdict.told()).inc();
      alerts.collect(Alert.of(subject, terms, pane, window, verdict));
    }
  }

  private Counter counterOf(Alert.State state) {
    return switch (state) {
      case OPENED -> alertsOpened;
      case UPDATED -> alertsUpdated;
      case CLOSED -> alertsClosed;
    };
  }

  /** Of no window that is to come. */
  private void forgetPassed(Terms terms, long pane, NavigableMap<Long, Pane> known)
      throws Exception {
    Map<Long, Pane> passed = known.headMap(pane + 1 - terms.panes(), true);
    for (long each : passed.keySet()) {
      panes.remove(each);
    }
    passed.clear();
  }

  /** Windows that panes from here on belong to come up by those panes. */
  private static boolean looksAgain(
      Terms terms,
      long pane,
      Course course,
      NavigableMap<Long, Pane> known,
      OnTimerContext context) {
    boolean isOfNext = known.floorKey(pane) != null;
    if (!course.isOpen() && !isOfNext && course.forgottenAfter(terms) <= pane) {
      return false;
    }
    long next = course.isOpen() || isOfNext ? pane + 1 : course.forgottenAfter(terms);
    context.timerService().registerEventTimeTimer(terms.lastMs(next));
    return true;
  }
}

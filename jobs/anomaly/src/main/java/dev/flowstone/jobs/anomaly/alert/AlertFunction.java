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
      standing = Standing.begin(terms);
    }
    standings.update(add(part, standing.under(terms)));
    context.timerService().registerEventTimeTimer(lastMs);
  }

  private Standing add(PanePart part, Standing standing) throws Exception {
    if (standing.isNewest(part.number())) {
      return standing.withNewest(part.number(), together(standing.newest(), part.pane()));
    }
    if (standing.newest() == null) {
      return standing.withNewest(part.number(), part.pane());
    }
    if (part.number() > standing.newestPane()) {
      return addOlder(standing.newestPane(), standing.newest(), standing)
          .withNewest(part.number(), part.pane());
    }
    return addOlder(part.number(), part.pane(), standing);
  }

  private Standing addOlder(long number, Pane pane, Standing standing) throws Exception {
    Pane before = standing.older() == 0 ? null : panes.get(number);
    panes.put(number, before == null ? pane : together(before, pane));
    return before == null ? standing.withOlder(standing.older() + 1) : standing;
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
    NavigableMap<Long, Pane> known = known(standing);
    List<Pane> ofWindow =
        List.copyOf(known.subMap(pane - terms.panes(), false, pane, true).values());
    if (!ofWindow.isEmpty() || standing.course().isOpen()) {
      Pane window = together(ofWindow.toArray(Pane[]::new));
      Course.Verdict verdict = standing.course().judge(terms, pane, window, known.get(pane));
      tell(context.getCurrentKey(), terms, pane, window, verdict, context, alerts);
      standing = standing.judged(pane, verdict.next());
    }
    standing = forgetPassed(terms, pane, known, standing);
    boolean isOfNext = known.floorKey(pane) != null;
    if (!looksAgain(terms, pane, standing.course(), isOfNext, context) && !standing.hasPanes()) {
      subjects--;
      standings.clear();
    } else {
      standings.update(standing);
    }
  }

  private NavigableMap<Long, Pane> known(Standing standing) throws Exception {
    NavigableMap<Long, Pane> known = new TreeMap<>();
    if (standing.older() > 0) {
      for (Map.Entry<Long, Pane> each : panes.entries()) {
        known.put(each.getKey(), each.getValue());
      }
    }
    if (standing.newest() != null) {
      known.put(standing.newestPane(), standing.newest());
    }
    return known;
  }

  private static Pane together(Pane... panes) {
    if (panes.length <= 1) {
      return panes.length == 0 ? NOTHING : panes[0];
    }
    PaneSum sum = new PaneSum();
    for (Pane each : panes) {
      sum.add(each);
    }
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

  /** Those of no window that is to come. */
  private Standing forgetPassed(
      Terms terms, long pane, NavigableMap<Long, Pane> known, Standing standing) throws Exception {
    Standing left = standing;
    Map<Long, Pane> passed = known.headMap(pane + 1 - terms.panes(), true);
    for (long each : passed.keySet()) {
      if (left.isNewest(each)) {
        left = left.withNewest(0, null);
      } else {
        panes.remove(each);
        left = left.withOlder(left.older() - 1);
      }
    }
    passed.clear();
    return left;
  }

  /** Windows that panes from here on belong to come up by those panes. */
  private static boolean looksAgain(
      Terms terms, long pane, Course course, boolean isOfNext, OnTimerContext context) {
    if (!course.isOpen() && !isOfNext && course.forgottenAfter(terms) <= pane) {
      return false;
    }
    long next = course.isOpen() || isOfNext ? pane + 1 : course.forgottenAfter(terms);
    context.timerService().registerEventTimeTimer(terms.lastMs(next));
    return true;
  }
}

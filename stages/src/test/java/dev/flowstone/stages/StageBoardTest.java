// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.stages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.JobID;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.executiongraph.ExecutionGraphID;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.metrics.NoOpMetricRegistry;
import org.apache.flink.runtime.metrics.groups.InternalOperatorMetricGroup;
import org.apache.flink.runtime.metrics.groups.InternalSourceReaderMetricGroup;
import org.apache.flink.runtime.metrics.groups.TaskManagerMetricGroup;
import org.apache.flink.runtime.metrics.groups.TaskMetricGroup;
import org.apache.flink.runtime.scheduler.strategy.ExecutionVertexID;
import org.junit.jupiter.api.Test;

/** On the groups that Flink itself makes for the tasks of a TaskManager. */
class StageBoardTest {
  private final JobID job = new JobID();
  private final StageBoard board = new StageBoard();
  private final TaskManagerMetricGroup taskManager =
      TaskManagerMetricGroup.createTaskManagerMetricGroup(
          NoOpMetricRegistry.INSTANCE, "host", ResourceID.generate());

  private TaskMetricGroup task(JobID of, int subtask, int attempt) {
    return taskManager
        .addJob(of, "sampling")
        .addTask(
            new ExecutionAttemptID(
                new ExecutionGraphID(), new ExecutionVertexID(new JobVertexID(), subtask), attempt),
            "Rings -> Rules");
  }

  private static InternalOperatorMetricGroup operator(TaskMetricGroup task, String name) {
    return task.getOrAddOperator(new OperatorID(), name, Map.of());
  }

  private MetricGroup stage(MetricGroup group) {
    return StageMetrics.of(group, board);
  }

  @Test
  void shouldTellCountersByRuleRingAndGroup() {
    MetricGroup rules = stage(operator(task(job, 3, 0), "Rules"));
    Counter packets = rules.counter("packets");
    rules.gauge("rulesVersion", (Gauge<Long>) () -> 7L);
    rules.addGroup("rule", "web").counter("packetsOfRule").inc(2);
    rules.addGroup("mine").addGroup("own").counter("seen");
    packets.inc(5);

    List<StageCounts> told = due(1);

    assertThat(told)
        .extracting(StageCounts::stage, StageCounts::subtask, StageCounts::job)
        .containsOnly(tuple("Rules", 3, "sampling"));
    assertThat(told)
        .extracting(each -> each.scope().labels(), each -> Map.copyOf(each.values()))
        .containsExactly(
            tuple(Map.of(), Map.of("packets", 5L, "rulesVersion", 7L)),
            tuple(Map.of("rule", "web"), Map.of("packetsOfRule", 2L)),
            tuple(Map.of("", "mine.own"), Map.of("seen", 0L)));
  }

  private List<StageCounts> due(long interval) {
    return board.due(job.toString(), interval, interval);
  }

  @Test
  void shouldTellEachStageOnceForAnIntervalHoweverManyAsk() {
    stage(operator(task(job, 0, 0), "Rules")).counter("packets");
    assertThat(due(4)).hasSize(1);
    assertThat(due(4)).isEmpty();
    assertThat(board.due(job.toString(), 3, 4)).isEmpty();

    stage(operator(task(job, 1, 0), "Rules")).counter("packets");
    assertThat(due(4)).extracting(StageCounts::subtask).containsExactly(1);
    assertThat(due(5)).hasSize(2);
    assertThat(board.now(job.toString())).hasSize(2);
  }

  @Test
  void shouldGoOnTellingWhenTheClockIsSetBack() {
    stage(operator(task(job, 0, 0), "Rules")).counter("packets");
    assertThat(due(1_000)).hasSize(1);
    assertThat(due(640)).hasSize(1);
    assertThat(due(640)).isEmpty();
    assertThat(due(641)).hasSize(1);
  }

  /** As that of a task that waited for Kafka, while another one told. */
  @Test
  void shouldTellNothingForATimerThatIsLate() {
    stage(operator(task(job, 0, 0), "Rules")).counter("packets");
    assertThat(due(115)).hasSize(1);
    assertThat(board.due(job.toString(), 101, 115)).isEmpty();
    assertThat(due(116)).hasSize(1);
  }

  @Test
  void shouldKnowNothingOfOtherJobs() {
    stage(operator(task(new JobID(), 0, 0), "Rules")).counter("packets");

    assertThat(due(1)).isEmpty();
  }

  @Test
  void shouldForgetAStageWhoseTaskHasEndedAndBeginTheNextAttemptAnew() {
    TaskMetricGroup first = task(job, 0, 0);
    stage(operator(first, "Rules")).counter("packets").inc(9);
    first.close();
    assertThat(due(1)).isEmpty();

    long beforeMs = System.currentTimeMillis();
    stage(operator(task(job, 0, 1), "Rules")).counter("packets").inc(1);
    List<StageCounts> told = due(1);
    assertThat(told).singleElement().extracting(each -> each.values().get("packets")).isEqualTo(1L);
    assertThat(told.getFirst().sinceMs()).isBetween(beforeMs, System.currentTimeMillis());
  }

  /** Its group is none that says whether it is closed. */
  @Test
  void shouldForgetASourceToo() {
    TaskMetricGroup task = task(job, 0, 0);
    MetricGroup source =
        stage(InternalSourceReaderMetricGroup.wrap(operator(task, "Source: rings")));
    source.addGroup("taprings", "eth0").addGroup("ring", "0").counter("packetsConsumed");
    assertThat(due(1))
        .singleElement()
        .extracting(each -> each.scope().labels())
        .isEqualTo(Map.of("taprings", "eth0", "ring", "0"));

    task.close();
    assertThat(due(2)).isEmpty();
  }

  @Test
  void shouldLeaveOutAGaugeThatFailsOrIsNoNumber() {
    MetricGroup metrics = stage(operator(task(job, 0, 0), "Histograms"));
    metrics.gauge(
        "flows",
        (Gauge<Long>)
            () -> {
              throw new IllegalStateException("the table is closed");
            });
    metrics.gauge("words", (Gauge<String>) () -> "some");
    metrics.gauge("hugePages", (Gauge<Boolean>) () -> true);
    metrics.gauge("occupancy", (Gauge<Double>) () -> 0.5);

    assertThat(due(1))
        .singleElement()
        .extracting(each -> Map.copyOf(each.values()))
        .isEqualTo(Map.of("hugePages", 1L, "occupancy", 0.5));
  }

  @Test
  void shouldHaveNoMoreScopesThanItsBound() {
    MetricGroup metrics = stage(operator(task(job, 0, 0), "Rules"));
    for (int rule = 0; rule <= Stage.MOST_SCOPES; rule++) {
      metrics.addGroup("rule", "rule-" + rule).counter("packetsOfRule");
    }

    assertThat(due(1)).hasSize(Stage.MOST_SCOPES);
  }
}

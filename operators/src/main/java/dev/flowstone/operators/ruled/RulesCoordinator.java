// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.flowstone.operators.ruled.RulesWatch.WrittenRules;
import dev.flowstone.rules.RulesFileException;
import dev.flowstone.rules.TextFile;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one place of a job that decides which rules are in force. It looks for new ones, gives each
 * good set a version and tells all subtasks; what is bad it refuses, and the rules stay.
 *
 * <p>A version is in a checkpoint of this coordinator if, and only if, the subtasks got it before
 * that checkpoint: Flink keeps events of coordinators and barriers in order. So a restored job goes
 * on by the rules of its checkpoint until it is told others.
 */
final class RulesCoordinator implements OperatorCoordinator {
  private static final Logger LOG = LoggerFactory.getLogger(RulesCoordinator.class);
  private static final long LOOK_INTERVAL_MS = 500;
  private static final long END_LIMIT_S = 5;

  private final LiveRules live;
  private final Context context;
  private final Map<Integer, SubtaskGateway> gateways = new HashMap<>();
  private final Counter refused;
  private final Counter looksFailed;

  private RulesText inForce;
  private ScheduledExecutorService watcher;
  private Watching watching;
  private String problem = "";

  RulesCoordinator(LiveRules live, Context context) {
    this.live = live;
    this.context = context;
    inForce = live.submitted();
    refused = context.metricGroup().counter("rulesRefused");
    looksFailed = context.metricGroup().counter("rulesLooksFailed");
    context.metricGroup().gauge("rulesVersion", (Gauge<Long>) this::version);
  }

  synchronized long version() {
    return inForce.version();
  }

  @Override
  public void start() {
    live.watch().ifPresent(this::startWatching);
  }

  private void startWatching(RulesWatch watch) {
    watcher =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "rules-watch");
              thread.setDaemon(true);
              thread.setContextClassLoader(context.getUserCodeClassloader());
              return thread;
            });
    watching = new Watching(watch);
    var _ =
        watcher.scheduleWithFixedDelay(watching::look, 0, LOOK_INTERVAL_MS, TimeUnit.MILLISECONDS);
  }

  /** In the watcher's thread, and when that has ended. */
  private final class Watching {
    private final RulesWatch watch;
    private RulesWatch.Looking looking;

    Watching(RulesWatch watch) {
      this.watch = watch;
    }

    /** A look that fails is told once, until one fails in another way; it never ends the watch. */
    void look() {
      try {
        if (looking == null) {
          looking = watch.begin();
        }
        List<WrittenRules> written = looking.look();
        if (!problem.isEmpty()) {
          problem = "";
          LOG.info("new rules can be looked for again");
        }
        offer(written);
      } catch (IOException e) {
        fail(e.getMessage());
      } catch (RuntimeException e) {
        fail(e.toString());
      }
    }

    private void fail(String reason) {
      if (watcher.isShutdown()) {
        return;
      }
      looksFailed.inc();
      if (!reason.equals(problem)) {
        problem = reason;
        LOG.warn("cannot look for new rules, version {} stays in force: {}", version(), problem);
      }
    }

    void close() {
      if (looking != null) {
        looking.close();
        looking = null;
      }
    }
  }

  /** Of what was written the newest that is good counts. */
  private void offer(List<WrittenRules> written) {
    for (WrittenRules each : written.reversed()) {
      if (offer(each)) {
        return;
      }
    }
  }

  /** Puts rules in force if they are good and others than those that are; whether they are good. */
  synchronized boolean offer(WrittenRules written) {
    RulesText next;
    try {
      TextFile.requireBounded(written.bytes(), written.place());
      String text = TextFile.decode(written.bytes(), written.place());
      if (text.equals(inForce.text())) {
        return true;
      }
      next = new RulesText(inForce.version() + 1, written.place(), text);
      live.require(next);
    } catch (RulesFileException | IllegalArgumentException e) {
      refused.inc();
      LOG.warn(
          "new rules are refused, version {} stays in force: {}",
          inForce.version(),
          e.getMessage());
      return false;
    }
    inForce = next;
    LOG.info("rules of {} are in force, version {}", next.place(), next.version());
    gateways.values().forEach(this::tell);
    return true;
  }

  /** An attempt that is gone will be told when its successor is ready. */
  private void tell(SubtaskGateway gateway) {
    var _ = gateway.sendEvent(new RulesEvent(inForce));
  }

  @Override
  public synchronized void executionAttemptReady(int subtask, int attempt, SubtaskGateway gateway) {
    gateways.put(subtask, gateway);
    tell(gateway);
  }

  @Override
  public synchronized void executionAttemptFailed(int subtask, int attempt, Throwable reason) {
    gateways.remove(subtask);
  }

  @Override
  public void subtaskReset(int subtask, long checkpointId) {
    // What is in force now is told when the subtask is ready.
  }

  @Override
  public synchronized void checkpointCoordinator(
      long checkpointId, CompletableFuture<byte[]> result) {
    result.complete(new RulesSnapshot(inForce, live.submitted().text()).toBytes());
  }

  @Override
  public synchronized void resetToCheckpoint(long checkpointId, byte[] checkpoint)
      throws IOException {
    if (checkpoint == null) {
      return;
    }
    RulesSnapshot saved = RulesSnapshot.of(checkpoint);
    inForce = saved.inForce();
    if (watcher != null) {
      // What was handed over since that checkpoint is taken back with it: to be looked at again.
      watcher.execute(watching::close);
    }
    if (!saved.submittedText().equals(live.submitted().text()) || !live.canDo(inForce)) {
      RulesText submitted = live.submitted();
      offer(new WrittenRules(submitted.place(), submitted.text().getBytes(UTF_8)));
    }
  }

  @Override
  public void handleEventFromOperator(int subtask, int attempt, OperatorEvent event) {
    throw new IllegalStateException("subtasks say nothing of rules: " + event);
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) {}

  @Override
  public void close() {
    if (watcher == null) {
      return;
    }
    watcher.shutdownNow();
    try {
      if (watcher.awaitTermination(END_LIMIT_S, TimeUnit.SECONDS)) {
        watching.close();
      } else {
        LOG.warn("the look for new rules hangs and is left to itself");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

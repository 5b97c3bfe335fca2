// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.flowstone.operators.ruled.RulesWatch.WrittenRules;
import dev.flowstone.rules.RulesFileException;
import dev.flowstone.rules.TextFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
 * good set a version and tells all subtasks; what is bad it refuses, what needs something that is
 * not there waits, and the rules stay.
 *
 * <p>A version is in a checkpoint of this coordinator if, and only if, the subtasks got it before
 * that checkpoint: Flink keeps events of coordinators and barriers in order. So a restored job goes
 * on by the rules of its checkpoint until it is told others.
 *
 * <p>Flink calls it in the JobManager's main thread, which must not wait. Whatever reads rules,
 * asks others or runs code of users does so in threads of this class.
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

  private final ScheduledExecutorService watcher;
  private final Optional<Watching> watching;
  private final WaitingRules waiting = new WaitingRules();

  /** Of a restored job whose rules are not decided yet. */
  private final List<CompletableFuture<byte[]>> waitingCheckpoints = new ArrayList<>();

  private int openDecisions;
  private RulesText inForce;

  RulesCoordinator(LiveRules live, Context context) {
    this.live = live;
    this.context = context;
    inForce = live.submitted();
    watcher = Executors.newSingleThreadScheduledExecutor(task -> daemon("rules-watch", task));
    watching = live.watch().map(Watching::new);
    refused = context.metricGroup().counter("rulesRefused");
    looksFailed = context.metricGroup().counter("rulesLooksFailed");
    context.metricGroup().gauge("rulesVersion", (Gauge<Long>) this::version);
    context.metricGroup().gauge("rulesWaiting", (Gauge<Integer>) waiting::count);
  }

  synchronized long version() {
    return inForce.version();
  }

  @Override
  public void start() {
    watching.ifPresent(this::startWatching);
  }

  private void startWatching(Watching looks) {
    var _ = watcher.scheduleWithFixedDelay(looks::look, 0, LOOK_INTERVAL_MS, TimeUnit.MILLISECONDS);
  }

  private Thread daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.setContextClassLoader(context.getUserCodeClassloader());
    return thread;
  }

  /** In the watcher's thread, and when that has ended. */
  private final class Watching implements WaitingRules.Judge {
    private final RulesWatch watch;
    private RulesWatch.Looking looking;
    private RulesNeeds.Asking asking;
    private String problem = "";

    /** In this look, and in the last one that came to its end. */
    private Set<String> missing = Set.of();

    private Set<String> missingBefore = Set.of();

    Watching(RulesWatch watch) {
      this.watch = watch;
    }

    /** A look that fails is told once, until one fails in another way; it never ends the watch. */
    void look() {
      try {
        if (looking == null) {
          looking = watch.begin();
        }
        for (WrittenRules givenUp : waiting.add(looking.look())) {
          refuse(givenUp.place() + ": " + WaitingRules.MOST + " newer sets wait");
        }
        missing = new HashSet<>();
        waiting.judge(this);
        missingBefore = missing;
        if (waiting.count() == 0) {
          askNoMore();
        }
        if (!problem.isEmpty()) {
          problem = "";
          LOG.info("new rules can be looked for again");
        }
      } catch (IOException e) {
        fail(e.getMessage());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (RuntimeException | LinkageError | StackOverflowError | AssertionError e) {
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

    @Override
    public Optional<WaitingRules.Good> read(WrittenRules written) {
      return RulesCoordinator.this.read(written);
    }

    /** Not under the coordinator's lock, which checkpoints need: an answer may take seconds. */
    @Override
    public boolean takes(WaitingRules.Good good) throws IOException, InterruptedException {
      // A decision must not put older rules over these.
      if (isDeciding()) {
        return false;
      }
      if (!isInForce(good.text()) && isMissingSomething(good)) {
        return false;
      }
      putInForce(good.text());
      return true;
    }

    private boolean isMissingSomething(WaitingRules.Good good)
        throws IOException, InterruptedException {
      if (live.needs().isEmpty()) {
        return false;
      }
      if (asking == null) {
        asking = live.needs().get().begin();
      }
      Optional<String> found = asking.missing(good.rules());
      found.ifPresent(what -> tellMissing(good.text().place() + ": " + what));
      return found.isPresent();
    }

    private void tellMissing(String what) {
      if (missing.add(what) && !missingBefore.contains(what)) {
        LOG.warn("new rules wait, version {} stays in force: {}", version(), what);
      }
    }

    private void askNoMore() {
      if (asking != null) {
        asking.close();
        asking = null;
      }
    }

    void close() {
      waiting.clear();
      askNoMore();
      if (looking != null) {
        looking.close();
        looking = null;
      }
    }
  }

  /** Puts rules in force if they are good, whatever they need; whether they are good. */
  boolean offer(WrittenRules written) {
    Optional<WaitingRules.Good> good = read(written);
    good.ifPresent(rules -> putInForce(rules.text()));
    return good.isPresent();
  }

  /** Empty: they are bad, which is told. Not under the lock: they may be long. */
  private Optional<WaitingRules.Good> read(WrittenRules written) {
    try {
      TextFile.requireBounded(written.bytes(), written.place());
      String text = TextFile.decode(written.bytes(), written.place());
      RulesText next = new RulesText(version() + 1, written.place(), text);
      if (!isInForce(next)) {
        live.require(next);
      }
      return Optional.of(new WaitingRules.Good(next, next.read().rules()));
    } catch (RulesFileException | IllegalArgumentException e) {
      refuse(e.getMessage());
      return Optional.empty();
    }
  }

  private void refuse(String reason) {
    refused.inc();
    LOG.warn("new rules are refused, version {} stays in force: {}", version(), reason);
  }

  private synchronized boolean isInForce(RulesText rules) {
    return rules.text().equals(inForce.text());
  }

  /** With the next version, unless they are in force already. */
  private synchronized void putInForce(RulesText rules) {
    if (isInForce(rules)) {
      return;
    }
    inForce = new RulesText(inForce.version() + 1, rules.place(), rules.text());
    LOG.info("rules of {} are in force, version {}", inForce.place(), inForce.version());
    if (openDecisions == 0) {
      gateways.values().forEach(this::tell);
    }
  }

  /** An attempt that is gone will be told when its successor is ready. */
  private void tell(SubtaskGateway gateway) {
    var _ = gateway.sendEvent(new RulesEvent(inForce));
  }

  @Override
  public synchronized void executionAttemptReady(int subtask, int attempt, SubtaskGateway gateway) {
    gateways.put(subtask, gateway);
    if (openDecisions == 0) {
      tell(gateway);
    }
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
    if (openDecisions == 0) {
      complete(result);
    } else {
      waitingCheckpoints.add(result);
    }
  }

  private void complete(CompletableFuture<byte[]> checkpoint) {
    checkpoint.complete(new RulesSnapshot(inForce, live.submitted().text()).toBytes());
  }

  @Override
  public synchronized void resetToCheckpoint(long checkpointId, byte[] checkpoint)
      throws IOException {
    // Flink has given up the checkpoints of the attempt before.
    waitingCheckpoints.clear();
    if (checkpoint == null) {
      return;
    }
    RulesSnapshot saved = RulesSnapshot.of(checkpoint);
    inForce = saved.inForce();
    // The watch looks again at all that it has handed over since that checkpoint.
    watching.ifPresent(looks -> watcher.execute(looks::close));
    openDecisions++;
    daemon("rules-decision", () -> decide(saved)).start();
  }

  /**
   * Whether a restored job has the rules of its checkpoint, or those that it was submitted with.
   */
  private void decide(RulesSnapshot saved) {
    try {
      RulesText submitted = live.submitted();
      if (!saved.submittedText().equals(submitted.text()) || !live.canDo(saved.inForce())) {
        offer(new WrittenRules(submitted.place(), submitted.text().getBytes(UTF_8)));
      }
    } catch (RuntimeException | LinkageError | StackOverflowError | AssertionError e) {
      if (!watcher.isShutdown()) {
        context.failJob(e);
      }
    } finally {
      endDecision();
    }
  }

  private synchronized boolean isDeciding() {
    return openDecisions > 0;
  }

  private synchronized void endDecision() {
    openDecisions--;
    if (openDecisions == 0 && !watcher.isShutdown()) {
      gateways.values().forEach(this::tell);
      waitingCheckpoints.forEach(this::complete);
      waitingCheckpoints.clear();
    }
  }

  @Override
  public void handleEventFromOperator(int subtask, int attempt, OperatorEvent event) {
    throw new IllegalStateException("subtasks say nothing of rules: " + event);
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) {}

  /** Does not wait: a look takes until Kafka answers. */
  @Override
  public void close() {
    watcher.shutdownNow();
    watching.ifPresent(looks -> daemon("rules-watch-end", () -> end(looks)).start());
  }

  private void end(Watching looks) {
    try {
      if (watcher.awaitTermination(END_LIMIT_S, TimeUnit.SECONDS)) {
        looks.close();
      } else {
        LOG.warn("the look for new rules hangs and is left to itself");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

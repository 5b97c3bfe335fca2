// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.user;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.results.Result;
import dev.flowstone.results.RuleTag;
import dev.flowstone.rules.function.UserFunction;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The function of one rule, whose failures are its own. What fails behind it, when a result is
 * sent, is not, and is thrown. One thread.
 */
final class RunningFunction implements PacketFunctionContext {
  private static final Logger LOG = LoggerFactory.getLogger(RunningFunction.class);

  private final UserFunction asked;
  private final RuleTag tag;
  private final Surroundings surroundings;
  private final MetricGroup metrics;
  private final Set<String> kinds = new HashSet<>();

  /** Null if it cannot be made. */
  private final PacketFunction function;

  /** What checkpoints have of it: what it was restored with, or said last. */
  private List<byte[]> known;

  private boolean isRunning;
  private long packetsSinceKnown;
  private String lastFailure = "";
  private Throwable notSent;

  /** What all functions of an operator share. */
  record Surroundings(
      FunctionJars jars,
      int subtask,
      Counter packetsFailed,
      Counter functionFailures,
      Counter resultsOut,
      Consumer<Result> output) {}

  /** Makes the function and opens it; one that cannot begin gets no packets. */
  RunningFunction(
      UserFunction asked,
      RuleTag tag,
      List<byte[]> restored,
      MetricGroup metrics,
      Surroundings surroundings) {
    this.asked = asked;
    this.tag = tag;
    this.surroundings = surroundings;
    this.metrics = metrics;
    known = restored;
    function = make();
    isRunning = function != null && begin();
  }

  private PacketFunction make() {
    try {
      return surroundings.jars().make(asked);
    } catch (IllegalArgumentException e) {
      fail("made", e);
      return null;
    }
  }

  /** It would go on without what it knew. */
  private boolean begin() {
    return attempt("open", made -> made.open(this))
        && (known.isEmpty() || attempt("restore", made -> made.restore(known)));
  }

  void process(PacketBlock packets) {
    if (isRunning && attempt("process", made -> made.process(packets))) {
      packetsSinceKnown += packets.count();
    } else {
      surroundings.packetsFailed().inc(packets.count());
    }
  }

  void advance(long earliestNs) {
    if (isRunning) {
      attempt("advance", made -> made.advance(earliestNs));
    }
  }

  /**
   * What a checkpoint keeps of it. One that cannot say what it knows gets no more packets: after a
   * failure it would come back without those since the last time it could, and nobody would know.
   */
  List<byte[]> snapshot() {
    if (isRunning) {
      isRunning = attempt("snapshot", made -> known = parts(made.snapshot()));
      if (!isRunning) {
        surroundings.packetsFailed().inc(packetsSinceKnown);
      }
      packetsSinceKnown = 0;
    }
    return known;
  }

  private static List<byte[]> parts(byte[] bytes) {
    return bytes.length == 0 ? List.of() : List.of(bytes);
  }

  void close() {
    if (function != null) {
      notSent = null;
      attempt("close", PacketFunction::close);
    }
  }

  @FunctionalInterface
  private interface Call {
    void on(PacketFunction function) throws Exception;
  }

  /** Whether it came back. */
  private boolean attempt(String what, Call call) {
    boolean isDone = false;
    try {
      call.on(function);
      isDone = true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      fail(what, e);
    } catch (Exception | LinkageError | StackOverflowError | AssertionError e) {
      if (notSent == null) {
        fail(what, e);
      }
    }
    if (notSent != null) {
      throw new IllegalStateException(
          "rule " + tag.name() + ": a result of " + asked.className() + " could not be sent",
          notSent);
    }
    return isDone;
  }

  /** Told once in the log for each way to fail. */
  private void fail(String what, Throwable failure) {
    surroundings.functionFailures().inc();
    if (!failure.toString().equals(lastFailure)) {
      lastFailure = failure.toString();
      LOG.warn(
          "rule {}: {} failed in {}; its packets are counted as packetsFailed",
          tag.name(),
          asked.className(),
          what,
          failure);
    }
  }

  @Override
  public Map<String, String> options() {
    return asked.options();
  }

  @Override
  public RuleTag rule() {
    return tag;
  }

  @Override
  public MetricGroup metrics() {
    return metrics;
  }

  @Override
  public int subtask() {
    return surroundings.subtask();
  }

  @Override
  public void emit(Result result) {
    if (!kinds.contains(result.kind())) {
      AllowedKind.require(result.kind());
      kinds.add(result.kind());
    }
    try {
      surroundings.output().accept(result);
    } catch (RuntimeException | Error e) {
      notSent = e;
      throw e;
    }
    surroundings.resultsOut().inc();
  }
}

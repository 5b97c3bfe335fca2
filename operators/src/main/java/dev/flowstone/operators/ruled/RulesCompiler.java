// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Compiles rules in a thread of its own: packets go on by the former ones meanwhile. Of rules that
 * wait while others are compiled, the latest only. One thread, but for the compilation.
 */
final class RulesCompiler implements AutoCloseable {
  /** At most one thread, and none while no rules come. */
  private final ExecutorService threads =
      new ThreadPoolExecutor(
          0,
          1,
          1,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          Thread.ofPlatform().daemon().name("rules-compiler").factory());

  private Optional<CompletableFuture<CompiledRules>> compilation = Optional.empty();

  /**
   * Begins to compile. Of rules that were to be compiled before, nothing comes.
   *
   * @param whenDone runs in any thread
   */
  void begin(RulesText text, Runnable whenDone) {
    compilation.ifPresent(former -> former.cancel(false));
    CompletableFuture<CompiledRules> next =
        CompletableFuture.supplyAsync(() -> CompiledRules.of(text), threads);
    compilation = Optional.of(next);
    var _ = next.whenComplete((_, _) -> whenDone.run());
  }

  /** Returns the compiled rules once; empty: there are none, or not yet. */
  Optional<CompiledRules> takeIfDone() throws InterruptedException {
    return compilation.filter(CompletableFuture::isDone).isPresent() ? await() : Optional.empty();
  }

  /** Waits for the compiled rules and returns them once; empty: there are none. */
  Optional<CompiledRules> await() throws InterruptedException {
    if (compilation.isEmpty()) {
      return Optional.empty();
    }
    try {
      CompiledRules compiled = compilation.get().get();
      compilation = Optional.empty();
      return Optional.of(compiled);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw new IllegalArgumentException("rules cannot be compiled: " + e.getCause(), e);
    }
  }

  /** A compilation that runs ends by itself. */
  @Override
  public void close() {
    threads.shutdownNow();
  }
}

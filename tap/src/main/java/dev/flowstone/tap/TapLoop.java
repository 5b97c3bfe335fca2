// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap;

import dev.flowstone.offheap.ParserProfile;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.raw.PacketSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

/**
 * Carries packets from sources through the parser into ring files until all sources have ended or
 * somebody asks it to stop; then says so in the rings. One thread runs it, and each further source
 * has one of its own; any thread may ask for its counters or stop it.
 *
 * <p>The order of packets is kept within a source: all packets of a flow must come from the same.
 */
public final class TapLoop {
  private static final Duration LAST_WAIT = Duration.ofSeconds(2);

  private final RingSetWriter rings;
  private final List<Carrier> carriers;
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private volatile boolean stopping;

  public TapLoop(PacketSource source, RingSetWriter rings, ParserProfile profile, Pacer pacer) {
    this(List.of(source), rings, profile, pacer);
  }

  /**
   * @param pacer for one source; several are taken as fast as they come
   */
  public TapLoop(
      List<? extends PacketSource> sources,
      RingSetWriter rings,
      ParserProfile profile,
      Pacer pacer) {
    this.rings = rings;
    SharedRings shared = new SharedRings(rings, sources.size());
    carriers =
        IntStream.range(0, sources.size())
            .mapToObj(
                i ->
                    new Carrier(
                        i,
                        sources.get(i),
                        shared,
                        profile,
                        sources.size() == 1 ? pacer : Pacer.unpaced()))
            .toList();
  }

  /**
   * Runs to the end of the sources, or until {@link #stop}. The rings end also when a source fails,
   * and the others with it: nothing more will come, and who reads them should not wait for it.
   */
  public void run() {
    List<Thread> others =
        IntStream.range(1, carriers.size())
            .mapToObj(
                i ->
                    Thread.ofPlatform()
                        .name("tap-" + i)
                        .daemon()
                        .start(() -> runOne(carriers.get(i))))
            .toList();
    runOne(carriers.getFirst());
    others.forEach(thread -> ThreadEnd.await(thread, this::stop));
    switch (failure.get()) {
      case null -> rings.end();
      case RuntimeException e -> throw endedAfter(e);
      // The rings themselves are lost, or there is no memory to go on with.
      case Throwable e -> throw (Error) e;
    }
  }

  private void runOne(Carrier carrier) {
    try {
      carrier.run();
    } catch (RuntimeException | Error e) {
      if (!failure.compareAndSet(null, e)) {
        failure.get().addSuppressed(e);
      }
      stop();
    }
  }

  private RuntimeException endedAfter(RuntimeException failed) {
    try {
      rings.end();
    } catch (RuntimeException e) {
      failed.addSuppressed(e);
    }
    return failed;
  }

  /** Ends after what the sources have caught, which waits for full rings only a little longer. */
  public void stop() {
    stopping = true;
    carriers.forEach(Carrier::stop);
    rings.limitWaiting(LAST_WAIT);
  }

  public boolean isStopping() {
    return stopping;
  }

  /** Packets that went on to the rings, counted before they do. */
  public long offeredPackets() {
    return carriers.stream().mapToLong(Carrier::offeredPackets).sum();
  }

  /** Packets that the parser described. */
  public long parsedPackets() {
    return carriers.stream().mapToLong(Carrier::parsedPackets).sum();
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.forward;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.offheap.ring.ReaderName;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.tap.datagram.DatagramBuffer;
import dev.flowstone.tap.datagram.Refusal;
import dev.flowstone.tap.datagram.SenderRun;
import dev.flowstone.tap.receive.ReceiveCounters;
import dev.flowstone.tap.receive.ReceiveOptions;
import dev.flowstone.tap.receive.Reception;
import dev.flowstone.tap.receive.RingMaker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;

/**
 * Whatever tap, sender, network and receiver do in whatever order: each packet of the first tap is
 * in a ring of the receiver or told as lost there, exactly once.
 */
class LossyPathPropertyTest {
  private static final int SENT_SLOTS_LOG2 = 11;
  private static final int RECEIVED_SLOTS_LOG2 = 12;
  private static final int MOST_RECORDS = 20;
  private static final int MOST_TAP_STARTS = 6;

  /** A ring lists this many former incarnations. What was missed of older ones is not known. */
  private static final int MAX_RECEIVER_STARTS_BETWEEN_READS = RingFileHeaderLayout.LINEAGE_ENTRIES;

  /** No network keeps a datagram for longer. */
  private static final long MOST_UNDER_WAY_NS = TimeUnit.SECONDS.toNanos(8);

  private static final InetSocketAddress SOMEWHERE =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);

  enum Act {
    WRITE,
    /** Each packet needs a TIME record. */
    WRITE_SPARSELY,
    WRITE_UNTIMED,
    LOSE_BEFORE_TAP,
    TELL_TIME,
    SEND,
    CARRY,
    WAIT,
    READ,
    START_TAP_AGAIN,
    KILL_TAP,
    START_SENDER_AGAIN,
    KILL_SENDER,
    START_RECEIVER_AGAIN,
    KILL_RECEIVER
  }

  record Deed(Act act, int amount) {}

  @Provide
  Arbitrary<List<Deed>> deeds() {
    return Combinators.combine(
            Arbitraries.frequency(
                Tuple.of(8, Act.WRITE),
                Tuple.of(2, Act.WRITE_SPARSELY),
                Tuple.of(1, Act.WRITE_UNTIMED),
                Tuple.of(2, Act.LOSE_BEFORE_TAP),
                Tuple.of(3, Act.TELL_TIME),
                Tuple.of(12, Act.SEND),
                Tuple.of(12, Act.CARRY),
                Tuple.of(4, Act.WAIT),
                Tuple.of(4, Act.READ),
                Tuple.of(1, Act.START_TAP_AGAIN),
                Tuple.of(1, Act.KILL_TAP),
                Tuple.of(1, Act.START_SENDER_AGAIN),
                Tuple.of(2, Act.KILL_SENDER),
                Tuple.of(1, Act.START_RECEIVER_AGAIN),
                Tuple.of(2, Act.KILL_RECEIVER)),
            Arbitraries.integers().between(1, 1500))
        .as(Deed::new)
        .list()
        .ofMinSize(10)
        .ofMaxSize(120);
  }

  @Property(tries = 50)
  void shouldAccountForEachPacket(
      @ForAll("deeds") List<Deed> deeds,
      @ForAll long seed,
      @ForAll boolean observing,
      @ForAll @IntRange(min = 1, max = 3) int rings)
      throws IOException {
    requireAccount(deeds, seed, observing, rings);
  }

  @Property(tries = 500)
  @Tag("slow")
  void shouldAccountForEachPacketOfManyPaths(
      @ForAll("deeds") List<Deed> deeds,
      @ForAll long seed,
      @ForAll boolean observing,
      @ForAll @IntRange(min = 1, max = 3) int rings)
      throws IOException {
    requireAccount(deeds, seed, observing, rings);
  }

  private static void requireAccount(List<Deed> deeds, long seed, boolean observing, int rings)
      throws IOException {
    try (World world = new World(new Random(seed), rings, observing)) {
      world.begin();
      world.spoil();
      deeds.forEach(world::perform);
      world.end();
      assertThat(world.job.packets() + world.job.lost())
          .as("packets read and told as lost")
          .isEqualTo(world.tap.offeredPackets() + world.tap.lostBeforeTap());
    }
  }

  /** So that the property is not held by losing everything. */
  @Property(tries = 10)
  void shouldLoseNothingWhereNothingIsLost(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 3) int rings) throws IOException {
    try (World world = new World(new Random(seed), rings, false)) {
      world.begin();
      for (int i = 0; i < 60; i++) {
        world.tap.write(100, 1000 + i * 20_000_000L);
        world.perform(new Deed(Act.SEND, 1500));
        world.perform(new Deed(Act.CARRY, 1500));
        world.perform(new Deed(Act.READ, 1));
        if (i % 9 == 8) {
          world.perform(new Deed(Act.KILL_SENDER, 1));
        }
        if (i % 20 == 19) {
          world.perform(new Deed(Act.KILL_RECEIVER, 1));
        }
      }
      world.end();
      assertThat(world.job.packets()).isEqualTo(6000);
      assertThat(world.job.lost()).isZero();
    }
  }

  /** All that takes part, one after the other in one thread. */
  private static final class World implements RingMaker, AutoCloseable {
    private final Path folder = Files.createTempDirectory(Path.of("/dev/shm"), "forward");
    private final int ringCount;
    private final boolean observing;
    private final Random random;
    private final LossyNetwork network;
    final NumberedTap tap;
    final NumberedRings job;
    private final List<ForwardedRing> sender = new ArrayList<>();
    private Reception receiver;
    private long nowNs = TimeUnit.HOURS.toNanos(1);
    private long emptyNs = nowNs;
    private int tapStarts;
    private int receiverStarts;

    World(Random random, int ringCount, boolean observing) throws IOException {
      this.ringCount = ringCount;
      this.observing = observing;
      this.random = random;
      network = new LossyNetwork(random);
      tap = new NumberedTap(folder.resolve("sent"), ringCount, SENT_SLOTS_LOG2);
      job = new NumberedRings(directory(), tap);
      receiver = receiver();
    }

    private Reception receiver() {
      return new Reception(this, new ReceiveOptions(8, Duration.ofMillis(50)), _ -> {}, _ -> {});
    }

    @Override
    public RingDirectory directory() {
      return new RingDirectory(folder.resolve("received"));
    }

    @Override
    public RingSetWriter make(int rings, int maxParallelism, int clock) {
      return RingSetWriter.create(
          directory(),
          new RingSpecification(
              rings, RECEIVED_SLOTS_LOG2, clock, maxParallelism, "receive", Optional.empty()),
          WhenFull.DROP);
    }

    private void startSender(boolean bounded) {
      ReaderName reader = ReaderName.of("forward");
      ForwardOptions options = new ForwardOptions(tap.directory, reader, observing, bounded);
      SenderRun run = SenderRun.begin(reader);
      for (Path ring : tap.directory.ringFiles()) {
        sender.add(new ForwardedRing(ring, options, run, MOST_RECORDS, network));
      }
    }

    private void stopSender() {
      sender.forEach(ForwardedRing::close);
      sender.clear();
    }

    /** The receiver hears of all rings, and the job sees them, before anything is lost. */
    void begin() {
      startSender(false);
      sender.forEach(ring -> ring.step(nowNs, true));
      network.carry(Integer.MAX_VALUE, this::arrive);
      readJob();
    }

    void spoil() {
      network.spoil(random.nextInt(30), random.nextInt(20), random.nextInt(12));
    }

    private void arrive(DatagramBuffer buffer, int lengthBytes) {
      receiver.accept(buffer, lengthBytes, SOMEWHERE, nowNs);
    }

    void perform(Deed deed) {
      switch (deed.act()) {
        case WRITE -> tap.write(deed.amount(), 1000);
        case WRITE_SPARSELY -> tap.write(deed.amount() / 20, 2_000_000_000L);
        case WRITE_UNTIMED -> tap.write(deed.amount() / 20, 1000, false);
        case LOSE_BEFORE_TAP -> tap.loseBeforeTap(deed.amount());
        case TELL_TIME -> tap.tellTime(deed.amount() * 1_000_000L);
        case SEND -> send(deed.amount());
        case CARRY -> network.carry(deed.amount(), this::arrive);
        case WAIT -> {
          pass(deed.amount() * 1_000_000L);
          receiver.lookAtTime(nowNs);
        }
        case READ -> readJob();
        case START_TAP_AGAIN -> startTap(tap::startAgain);
        case KILL_TAP -> startTap(tap::dieAndStartAgain);
        case START_SENDER_AGAIN -> {
          sender.forEach(ForwardedRing::sayLast);
          stopSender();
          startSender(false);
        }
        case KILL_SENDER -> {
          stopSender();
          startSender(false);
        }
        case START_RECEIVER_AGAIN -> startReceiver(receiver::end);
        case KILL_RECEIVER -> startReceiver(() -> {});
      }
    }

    private void send(int steps) {
      for (int i = 0; i < steps; i++) {
        pass(10_000);
        boolean progress = false;
        for (ForwardedRing ring : sender) {
          progress |= ring.step(nowNs, true);
        }
        if (!progress) {
          pass(1_000_000);
        }
      }
    }

    private void pass(long timeNs) {
      nowNs += timeNs;
      if (network.isEmpty()) {
        emptyNs = nowNs;
      } else if (nowNs - emptyNs > MOST_UNDER_WAY_NS) {
        network.loseAll();
      }
    }

    private void startTap(Runnable start) {
      if (tapStarts++ < MOST_TAP_STARTS) {
        start.run();
      }
    }

    private void startReceiver(Runnable last) {
      if (receiverStarts++ < MAX_RECEIVER_STARTS_BETWEEN_READS) {
        last.run();
        receiver.close();
        receiver = receiver();
      }
    }

    private void readJob() {
      if (directory().ringFiles().size() == ringCount) {
        receiverStarts = 0;
        job.read(ringCount);
      }
    }

    /** The tap ends, a sender that ends with it sends the rest, and all that arrives. */
    void end() {
      tap.end();
      network.heal();
      network.carry(Integer.MAX_VALUE, this::arrive);
      stopSender();
      startSender(true);
      while (!sender.stream().allMatch(ForwardedRing::isEnded)) {
        send(100);
        network.carry(Integer.MAX_VALUE, this::arrive);
        readJob();
      }
      sender.forEach(ForwardedRing::sayLast);
      network.carry(Integer.MAX_VALUE, this::arrive);
      nowNs += TimeUnit.SECONDS.toNanos(1);
      receiver.lookAtTime(nowNs);
      assertThat(receiver.isEnded()).as("the receiver knows that nothing more comes").isTrue();
      requireBooks(receiver.counters());
      receiver.end();
      readJob();
    }

    private static void requireBooks(ReceiveCounters counters) {
      assertThat(counters.waiting()).isZero();
      for (Refusal fault :
          List.of(Refusal.CHECKSUM, Refusal.CONTENT, Refusal.LENGTH, Refusal.ARRANGEMENT)) {
        assertThat(counters.refused().get(fault)).as("%s", fault).isZero();
      }
    }

    @Override
    public void close() throws IOException {
      stopSender();
      receiver.close();
      network.close();
      job.close();
      tap.close();
      Files.deleteIfExists(directory().path().resolve("received.books"));
      directory().delete();
      Files.delete(folder);
    }
  }
}

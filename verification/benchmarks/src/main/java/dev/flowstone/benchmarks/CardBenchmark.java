// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.offheap.xrt.XrtBuffer;
import dev.flowstone.offheap.xrt.XrtDevice;
import dev.flowstone.offheap.xrt.XrtKernel;
import dev.flowstone.offheap.xrt.XrtLibrary;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.tap.card.Card;
import dev.flowstone.tap.card.CardAddress;
import dev.flowstone.tap.card.CardCounters;
import dev.flowstone.tap.card.CardFiles;
import dev.flowstone.tap.card.CardRuleTable;
import dev.flowstone.tap.card.CardShape;
import dev.flowstone.tap.card.CardTap;
import dev.flowstone.tap.card.Emulator;
import dev.flowstone.tap.card.PumpCounters;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * Records per second of CPU time from an emulated card's memory into ring files, the card's own
 * work included: parsing, its rings, the copy to the host, generation checks, the copy to the file.
 */
final class CardBenchmark implements Benchmark {
  private static final CardAddress CARD = new CardAddress.ByNumber(0);
  private static final CardShape SHAPE = new CardShape(2, 18, 128);
  private static final int FULL_FILE_SLOTS_LOG2 = 20;
  private static final int SMOKE_FILE_SLOTS_LOG2 = 14;
  private static final long LINE_BYTES = 64;
  private static final long PAGE_BYTES = 4096;
  private static final int SYNCS = 10_000;
  private static final String RINGS_KERNEL = "ht_ring:{ht_ring_0}";

  @Override
  public String name() {
    return "card";
  }

  @Override
  public String description() {
    return "records/s per core from an emulated card into ring files; baseline: memcpy of the bytes";
  }

  @Override
  public Steps steps(BenchScale scale) {
    Steps figure = Steps.of(scale.brief(), scale);
    return scale.isQuick() ? figure : figure.plus(Steps.of(scale.brief()));
  }

  @Override
  public BenchResult run(BenchScale scale) throws Exception {
    Windows copy = copy(1L << fileSlotsLog2(scale), scale);
    Map<String, Object> further = new LinkedHashMap<>();
    try (ScratchFolder folder = ScratchFolder.inMemory("bench")) {
      Emulator emulator = new Emulator(Emulator.usualPrograms(), folder.path().resolve("cards"));
      Windows records = records(emulator, folder, scale, further);
      if (!scale.isQuick()) {
        Progress.step("copies of one record", scale.brief());
        further.put("ns_per_sync", nsPerSync(emulator, emulator.library(), scale));
        Optional<XrtLibrary> amd = emulator.amdLibrary();
        if (amd.isPresent()) {
          further.put("ns_per_sync_amd", nsPerSync(emulator, amd.get(), scale));
        }
      }
      return new BenchResult(
          name(),
          "records/s per core",
          BenchResult.Better.MORE,
          records,
          copy,
          "memcpy of the same bytes",
          further);
    }
  }

  private static int fileSlotsLog2(BenchScale scale) {
    return scale.isSmoke() ? SMOKE_FILE_SLOTS_LOG2 : FULL_FILE_SLOTS_LOG2;
  }

  private static Windows copy(long records, BenchScale scale) {
    long bytes = records * PacketRecordLayout.SIZE_BYTES;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment from = arena.allocate(bytes, LINE_BYTES).fill((byte) 1);
      MemorySegment to = arena.allocate(bytes, LINE_BYTES).fill((byte) 2);
      Progress.step("memcpy", scale.brief());
      return Windows.ratesOfPassesPerCore(records, () -> to.copyFrom(from), scale.brief());
    }
  }

  private static Windows records(
      Emulator emulator, ScratchFolder folder, BenchScale scale, Map<String, Object> further)
      throws Exception {
    Progress.step("an emulated card and its tap", scale);
    List<String> feed = List.of("--feed", "generator", "--pace", "wait");
    try (ChildProcess process = emulator.start(0, "model", feed);
        Card card = Card.open(emulator.library(), CARD, emulator.xclbin())) {
      Files files = new Files(new RingDirectory(folder.path()), fileSlotsLog2(scale));
      CardTap tap = new CardTap(card, SHAPE, files, CardRuleTable.EMPTY, true, Progress::say);
      Thread thread = Thread.ofPlatform().name("card-tap").start(tap::run);
      try {
        return windows(process, tap, scale, further);
      } finally {
        tap.stop();
        thread.join();
      }
    }
  }

  private static Windows windows(
      ChildProcess process, CardTap tap, BenchScale scale, Map<String, Object> further) {
    Windows.awaitGrowth(() -> tap.counters().packets());
    Windows.await(scale.warmUp());
    Moment begin = Moment.of(process, tap);
    Moment before = begin;
    List<Double> rates = new ArrayList<>();
    for (int i = 0; i < scale.windows(); i++) {
      Windows.await(scale.window(), () -> tap.counters().packets());
      Moment now = Moment.of(process, tap);
      rates.add(
          (now.packets() - before.packets())
              * 1e9
              / CpuTime.betweenNs(before.allNs(), now.allNs()));
      before = now;
    }
    double packets = before.packets() - begin.packets();
    further.put("card_ns_per_record", (before.cardNs() - begin.cardNs()) / packets);
    further.put("tap_ns_per_record", (before.tapNs() - begin.tapNs()) / packets);
    further.put("records_per_wall_second", packets * 1e9 / (before.wallNs() - begin.wallNs()));
    further.put("records_per_sync", packets / (before.syncs() - begin.syncs()));
    further.put("lost_packets", tap.counters().lostPackets());
    return new Windows(rates);
  }

  /** What was counted, and the CPU time until then. */
  private record Moment(long packets, long syncs, long cardNs, long tapNs, long wallNs) {
    static Moment of(ChildProcess process, CardTap tap) {
      CardCounters counters = tap.counters();
      return new Moment(
          counters.packets(),
          sum(counters, PumpCounters::fetches),
          CpuTime.ofNs(process.handle()),
          CpuTime.ofNs(ProcessHandle.current()),
          System.nanoTime());
    }

    long allNs() {
      return cardNs + tapNs;
    }

    private static long sum(CardCounters counters, ToLongFunction<PumpCounters> counter) {
      return counters.pumps().stream().mapToLong(counter).sum();
    }
  }

  /** The way through Java's linker and the library, with as little to copy as there may be. */
  private static double nsPerSync(Emulator emulator, XrtLibrary library, BenchScale scale)
      throws Exception {
    Progress.say("copies by " + library.name());
    try (ChildProcess _ = emulator.start(0, "model", List.of());
        XrtDevice device = CARD.open(library)) {
      device.load(emulator.xclbin());
      try (XrtKernel kernel = device.open(RINGS_KERNEL);
          XrtBuffer buffer = device.allocate(PAGE_BYTES, kernel.group(0))) {
        Runnable pass = () -> fetch(buffer);
        return 1e9 / Windows.ratesOfPassesPerCore(SYNCS, pass, scale.brief()).median();
      }
    }
  }

  private static void fetch(XrtBuffer buffer) {
    for (int i = 0; i < SYNCS; i++) {
      buffer.fetch(0, PacketRecordLayout.SIZE_BYTES);
    }
  }

  /** Ring files that nobody reads, so that they are written lap after lap. */
  private record Files(RingDirectory directory, int slotsLog2) implements CardFiles {
    @Override
    public RingSetWriter make(CardShape shape) {
      RingSetWriter writer =
          RingSetWriter.create(
              directory,
              new RingSpecification(
                  shape.ringCount(),
                  slotsLog2,
                  RingClock.HARDWARE,
                  shape.maxParallelism(),
                  "bench",
                  Optional.empty()),
              WhenFull.DROP);
      writer.populate();
      return writer;
    }

    @Override
    public RingSetWriter makeForLosses(CardShape shape) {
      return make(shape);
    }

    @Override
    public void ended() {}
  }
}

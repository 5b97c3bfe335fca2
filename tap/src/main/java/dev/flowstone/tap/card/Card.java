// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.abi.CardRingRegistersLayout;
import dev.flowstone.model.abi.CardSourceRegistersLayout;
import dev.flowstone.model.abi.CardTapRegistersLayout;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.offheap.NativeCallException;
import dev.flowstone.offheap.xrt.XrtBuffer;
import dev.flowstone.offheap.xrt.XrtDevice;
import dev.flowstone.offheap.xrt.XrtKernel;
import dev.flowstone.offheap.xrt.XrtLibrary;
import dev.flowstone.offheap.xrt.XrtRun;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A card with Flowstone's kernels, opened for this process alone. Whoever opened it closes it,
 * before the JVM ends. One thread starts, stops and closes.
 */
public final class Card implements AutoCloseable {
  private static final List<String> PORTS = List.of("ht_tap:{ht_tap_0}", "ht_tap:{ht_tap_1}");
  static final int PORT_COUNT = PORTS.size();
  private static final String RINGS = "ht_ring:{ht_ring_0}";

  private static final String NO_SOURCE =
      "--feed wants the xclbin of a card without a cable (make -C hw xclbin DESIGN=u280_pcapsrc), and a card with cables wants no --feed";

  // Arguments by number, in the order of kernel.xml.
  private static final int INGRESS_PORT = 0;
  private static final int MAX_PARALLELISM = 1;
  private static final int SLOTS_LOG2 = CardRingRegistersLayout.MOST_RINGS;
  private static final int RING_COUNT = SLOTS_LOG2 + 1;

  private final String name;

  /** What is open, the latest first, as it is to be closed. */
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  private final XrtDevice device;
  private final Path xclbin;
  private final List<XrtKernel> portKernels = new ArrayList<>();
  private final XrtKernel ringKernel;
  private final List<CardPort> ports = new ArrayList<>();
  private final CardSources sources = new CardSources();
  private final RingKernel rings;

  private final List<XrtBuffer> buffers = new ArrayList<>();
  private final List<XrtRun> portRuns = new ArrayList<>();
  private Optional<XrtRun> ringRun = Optional.empty();
  private long portOffsetNs;
  private List<CardRing> cardRings = List.of();

  private Card(CardAddress address, XrtDevice device, Path xclbin, CardFrames frames) {
    name = "card " + address;
    this.device = device;
    this.xclbin = xclbin;
    open.push(device);
    try {
      device.load(xclbin);
      for (String each : PORTS) {
        XrtKernel kernel = kernel(each);
        portKernels.add(kernel);
        ports.add(new CardPort(each, registers(kernel)));
      }
      if (frames.areSent()) {
        openSources(frames);
      }
      ringKernel = kernel(RINGS);
      rings = new RingKernel(RINGS, registers(ringKernel));
      requireArguments();
    } catch (RuntimeException | Error e) {
      closeAfter(e);
      throw e;
    }
  }

  /** Opens a card, makes it what the xclbin says, and holds its registers against this program. */
  public static Card open(XrtLibrary library, CardAddress address, Path xclbin) {
    return open(library, address, xclbin, CardFrames.NONE);
  }

  /**
   * The same of a card without a cable.
   *
   * @param frames what it sends its ports itself
   */
  public static Card open(XrtLibrary library, CardAddress address, Path xclbin, CardFrames frames) {
    XclbinFile.require(xclbin);
    return new Card(address, address.open(library), xclbin, frames);
  }

  private void openSources(CardFrames frames) {
    for (int port = 0; port < PORT_COUNT; port++) {
      String each = CardSources.NAMES.get(port);
      XrtKernel kernel = kernel(each, NO_SOURCE);
      try {
        SourceKernel registers = new SourceKernel(each, registers(kernel));
        sources.add(opened(new CardSource(kernel, registers, frames, port)));
      } catch (RuntimeException | Error e) {
        kernel.close();
        throw e;
      }
    }
  }

  private <T extends AutoCloseable> T opened(T each) {
    open.push(each);
    return each;
  }

  private static Registers registers(XrtKernel kernel) {
    return new Registers() {
      @Override
      public int read(long offset) {
        return kernel.read(offset);
      }

      @Override
      public void write(long offset, int value) {
        kernel.write(offset, value);
      }
    };
  }

  private static CardMemory memory(XrtBuffer buffer) {
    return new CardMemory() {
      @Override
      public MemorySegment host() {
        return buffer.host();
      }

      @Override
      public void fetch(long offsetBytes, long sizeBytes) {
        buffer.fetch(offsetBytes, sizeBytes);
      }
    };
  }

  private XrtKernel kernel(String each) {
    return opened(kernel(each, "it is not Flowstone's"));
  }

  private XrtKernel kernel(String each, String otherwise) {
    try {
      return device.open(each);
    } catch (NativeCallException e) {
      throw new CardException(
          "%s: no %s is to be had of %s: %s, or another process has the card: %s"
              .formatted(name, each, xclbin, otherwise, e.getMessage()),
          e);
    }
  }

  /** The xclbin's words on where arguments are must be those of the registers' page. */
  private void requireArguments() {
    for (XrtKernel port : portKernels) {
      requireArgument(port, INGRESS_PORT, CardTapRegistersLayout.INGRESS_PORT_OFFSET);
      requireArgument(port, MAX_PARALLELISM, CardTapRegistersLayout.MAX_PARALLELISM_OFFSET);
    }
    for (CardSource source : sources.all()) {
      XrtKernel kernel = source.handle();
      requireArgument(
          kernel, CardSource.BASE_ADDRESS, CardSourceRegistersLayout.BASE_ADDRESS_OFFSET);
      requireArgument(kernel, CardSource.UNITS, CardSourceRegistersLayout.UNITS_OFFSET);
      requireArgument(kernel, CardSource.ROUNDS, CardSourceRegistersLayout.ROUNDS_OFFSET);
    }
    for (int ring = 0; ring < CardRingRegistersLayout.MOST_RINGS; ring++) {
      requireArgument(
          ringKernel,
          ring,
          CardRingRegistersLayout.BASE_ADDRESSES_OFFSET + (long) ring * Long.BYTES);
    }
    requireArgument(ringKernel, SLOTS_LOG2, CardRingRegistersLayout.SLOTS_LOG2_OFFSET);
    requireArgument(ringKernel, RING_COUNT, CardRingRegistersLayout.RING_COUNT_OFFSET);
  }

  private static void requireArgument(XrtKernel kernel, int argument, long offset) {
    int found = kernel.argumentOffset(argument);
    if (found != offset) {
      throw new CardException(
          "%s: the xclbin has argument %d at 0x%x, and this program at 0x%x: use the xclbin of the same release"
              .formatted(kernel.name(), argument, found, offset));
    }
  }

  public String name() {
    return name;
  }

  /** Which sources the ports' kernel and the rings' were made of, as their maker numbered them. */
  public String builds() {
    return "%08x, %08x".formatted(ports.getFirst().build(), rings.build());
  }

  List<CardPort> ports() {
    return ports;
  }

  CardSources sources() {
    return sources;
  }

  RingKernel kernelOfRings() {
    return rings;
  }

  /** Those of the latest start. */
  List<CardRing> rings() {
    return cardRings;
  }

  /** Whether a kernel is at work: then a tap began it that did not come to its end. */
  boolean isRunning() {
    return !rings.isIdle()
        || ports.stream().anyMatch(port -> !port.isIdle())
        || sources.isOneRunning();
  }

  /**
   * Stops kernels that a former process began, by their registers: its runs are gone with it. What
   * sends first, so that ports and rings take all that is under way.
   */
  void stopFormer(Duration limit) {
    for (CardSource source : sources.all()) {
      source.kernel().askToStop();
      requireIdle(source.kernel(), limit);
    }
    ports.forEach(CardKernel::askToStop);
    for (CardPort port : ports) {
      requireIdle(port, limit);
    }
    rings.askToStop();
    requireIdle(rings, limit);
  }

  private void requireIdle(CardKernel kernel, Duration limit) {
    if (!kernel.awaitIdle(limit)) {
      throw new CardException(
          "%s, %s: a former tap started it, and it does not stop: reset the card (xbutil reset), then start the tap again"
              .formatted(name, kernel.name()));
    }
  }

  /**
   * Starts the kernels, and returns when they run: rings before ports, so that no record comes
   * before its ring is there. What sources send is in the card's memory then.
   *
   * @param hostClockNs what the card's clocks begin with, at the last moment
   * @param limits read at every poll of a kernel that is to run
   */
  void start(
      CardShape shape, CardRuleTable rules, LongSupplier hostClockNs, Supplier<CardLimits> limits) {
    takeMemory(shape);
    sources.load(device);
    byte[] ringOfKeyGroup = KeyGroups.ringTable(shape.maxParallelism(), shape.ringCount());
    for (CardPort port : ports) {
      port.setRings(ringOfKeyGroup);
      rules.writeTo(port);
    }
    setTime(hostClockNs.getAsLong());
    startRings(shape);
    requireRunning(rings, limits);
    for (int port = 0; port < ports.size(); port++) {
      XrtRun run = opened(portKernels.get(port).newRun());
      run.set(INGRESS_PORT, port);
      run.set(MAX_PARALLELISM, shape.maxParallelism());
      run.start();
      portRuns.add(run);
    }
    ports.forEach(port -> requireRunning(port, limits));
  }

  /** The times of packets of both ports are compared, so their clocks must not differ. */
  private void setTime(long timeNs) {
    CardPort first = ports.getFirst();
    first.setTime(timeNs);
    portOffsetNs =
        ports.stream()
            .skip(1)
            .mapToLong(port -> Math.abs(PortAlignment.align(port, first)))
            .max()
            .orElse(0);
  }

  /** How far the clocks of its ports differ since the start; 0: not measurably. */
  long portOffsetNs() {
    return portOffsetNs;
  }

  /**
   * XRT answers before the kernel has begun; until then its registers are those of the run before,
   * and it hears of no stop.
   */
  private void requireRunning(CardKernel kernel, Supplier<CardLimits> limits) {
    if (!kernel.awaitRunning(() -> limits.get().start())) {
      throw new CardException(
          kernel.name()
              + ": it was started and does not run: reset the card (xbutil reset), then start the tap again");
    }
  }

  private void startRings(CardShape shape) {
    XrtRun run = opened(ringKernel.newRun());
    for (int ring = 0; ring < shape.ringCount(); ring++) {
      run.set(ring, buffers.get(ring));
    }
    run.set(SLOTS_LOG2, shape.slotsLog2());
    run.set(RING_COUNT, shape.ringCount());
    run.start();
    ringRun = Optional.of(run);
  }

  /** Memory of the rings; cleared, for whatever was there before may look like records. */
  private void takeMemory(CardShape shape) {
    long sizeBytes = PacketRecordLayout.SIZE_BYTES << shape.slotsLog2();
    List<CardRing> made = new ArrayList<>();
    for (int ring = 0; ring < shape.ringCount(); ring++) {
      XrtBuffer buffer = opened(device.allocate(sizeBytes, ringKernel.group(ring)));
      buffers.add(buffer);
      buffer.host().fill((byte) 0);
      buffer.send(0, sizeBytes);
      made.add(new CardRing(ring, rings.registers(), memory(buffer), shape.slotsLog2()));
    }
    cardRings = List.copyOf(made);
  }

  /** Those that were started take no more frames; false: one goes on after that time. */
  boolean stopPorts(Duration limit) {
    ports.forEach(CardKernel::askToStop);
    return portRuns.stream().allMatch(run -> run.awaitEnd(limit));
  }

  /** The rings have their last records; false: they do not come to their end within that time. */
  boolean stopRings(Duration limit) {
    rings.askToStop();
    return ringRun.map(run -> run.awaitEnd(limit)).orElse(true);
  }

  /** Gives back runs and memory, so that the kernels can be started again. They have ended. */
  void release() {
    while (open.peek() != ringKernel) {
      closeOne(open.pop());
    }
    sources.release();
    portRuns.clear();
    ringRun = Optional.empty();
    buffers.clear();
    cardRings = List.of();
  }

  private static void closeOne(AutoCloseable each) {
    try {
      each.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private void closeAfter(Throwable failure) {
    try {
      close();
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  /** Everything, the latest first, whatever one of them says. */
  @Override
  public void close() {
    RuntimeException failed = null;
    while (!open.isEmpty()) {
      try {
        closeOne(open.pop());
      } catch (RuntimeException e) {
        if (failed == null) {
          failed = e;
        } else {
          failed.addSuppressed(e);
        }
      }
    }
    if (failed != null) {
      throw failed;
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.rings;

import dev.flowstone.connector.fpga.TestTap;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.model.abi.RingContent;
import dev.flowstone.offheap.ring.RingIdentity;
import dev.flowstone.offheap.ring.RingStart;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Rings in this process's memory; keeps the same contract as ring files. */
public final class MemoryRings implements RingCatalog {
  public static final String HOST = "memory";
  public static final String DIRECTORY = "/rings";

  private static final long TAP = 0x5EED;

  private final Map<Integer, MemoryRing> rings = new TreeMap<>();
  private final Map<Integer, List<MemoryRing>> formers = new TreeMap<>();
  private int ringCount;
  private long incarnations;

  public MemoryRings(int ringCount) {
    this.ringCount = ringCount;
  }

  public static RingName name(int ring) {
    return new RingName(HOST, DIRECTORY, ring);
  }

  public static long stream(int ring) {
    return StreamNumber.of(TAP, ring);
  }

  /** Starts a ring's producer (again). */
  public MemoryRing start(int ring, int slotsLog2) {
    List<MemoryRing> former = formers.computeIfAbsent(ring, none -> new ArrayList<>());
    RingIdentity identity =
        new RingIdentity(
            ring,
            ringCount,
            ++incarnations,
            stream(ring),
            RingContent.PACKET_RECORDS,
            slotsLog2,
            RingClock.SYNTHETIC,
            MemoryRing.KEY_GROUPS,
            TestTap.START_NS,
            "memory");
    MemoryRing started = new MemoryRing(identity, List.copyOf(former));
    former.add(started);
    rings.put(ring, started);
    return started;
  }

  public void remove(int ring) {
    rings.remove(ring);
  }

  /** The tap comes again with fewer rings: those above are gone. */
  public void shrinkTo(int fewer) {
    ringCount = fewer;
    rings.keySet().removeIf(ring -> ring >= fewer);
  }

  /** The tap comes again with more rings. */
  public void growTo(int more) {
    ringCount = more;
  }

  @Override
  public String host() {
    return HOST;
  }

  @Override
  public List<RingSighting> discover() {
    List<RingSighting> found = new ArrayList<>();
    rings.forEach(
        (ring, memory) ->
            found.add(
                new RingSighting(
                    stream(ring),
                    name(ring),
                    ringCount,
                    memory.incarnation(),
                    formers.get(ring).stream().map(MemoryRing::incarnation).toList(),
                    true)));
    return found;
  }

  @Override
  public Optional<OpenRing> open(long stream, RingStart start) {
    int number = StreamNumber.ring(stream);
    return Optional.ofNullable(rings.get(number))
        .map(ring -> ring.open(start, () -> rings.get(number) != ring));
  }
}

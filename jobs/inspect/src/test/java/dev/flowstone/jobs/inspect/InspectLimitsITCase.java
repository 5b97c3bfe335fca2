// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import static dev.flowstone.jobs.inspect.traffic.TestRecords.ACK;
import static dev.flowstone.jobs.inspect.traffic.TestRecords.SYN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.jobs.inspect.count.InspectException;
import dev.flowstone.jobs.inspect.count.InspectLimits;
import dev.flowstone.jobs.inspect.flow.TimeSorter;
import dev.flowstone.jobs.inspect.flow.UnsortedFlow;
import dev.flowstone.jobs.inspect.report.Inspection;
import dev.flowstone.jobs.inspect.traffic.SynCount;
import dev.flowstone.jobs.inspect.traffic.TestRecords;
import dev.flowstone.jobs.inspect.traffic.TrafficCounter;
import dev.flowstone.jobs.inspect.traffic.TrafficSummary;
import dev.flowstone.offheap.ring.RingDirectory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Captures that need more memory than there is cost an error line each, and nobody else's. */
final class InspectLimitsITCase {
  private static final long WINDOW_NS = SynCount.WINDOW_NS;

  @TempDir private Path folder;

  @Test
  void shouldGiveAnErrorForEachCaptureBeyondALimitAndAnswerTheOthers() throws Exception {
    TinyCapture flows = new TinyCapture();
    for (int source = 0; source < 20; source++) {
      flows.tcp(source, source, 1, 99, 80, ACK);
    }
    TinyCapture windows = new TinyCapture();
    for (int window = 0; window < 3; window++) {
      windows.tcp(window * WINDOW_NS, 1, 1, 2, 80, SYN);
    }
    List<String> files =
        List.of(
            flows.write(folder.resolve("flows.pcap")),
            windows.write(folder.resolve("windows.pcap")),
            jumbled(),
            new TinyCapture().tcp(0, 1, 1, 2, 80, SYN).write(folder.resolve("small.pcap")));

    List<Inspection> inspections = new ArrayList<>();
    try (InspectRun run = InspectRun.start(files.size(), new InspectLimits(9, 2, 5))) {
      run.inspect(files, inspections::add);
    }

    assertThat(error(inspections.get(0)))
        .contains("too many flows", "at least 10, room for 9", "editcap", "-Xmx")
        .doesNotContain("\n");
    assertThat(error(inspections.get(1)))
        .contains("too many SYN windows", "at least 3, room for 2")
        .doesNotContain("\n");
    assertThat(error(inspections.get(2)))
        .contains("whose times must be sorted", "at least 6, room for 5")
        .doesNotContain("\n");
    assertThat(inspections.get(3)).isInstanceOf(Inspection.Answer.class);
  }

  @Test
  void shouldGiveAnErrorWhenATaskRunsOutOfMemoryAndGoOn() throws Exception {
    Path capture = Path.of(jumbled());
    try (InspectFlink flink = InspectFlink.start(1)) {
      TrafficSummary summary = summarise(flink, capture, "first");
      UnsortedFlow tooLarge = claiming(Integer.MAX_VALUE, summary.unsortedFlows().getFirst());

      assertThatThrownBy(
              () ->
                  CapturePass.of(
                      capture,
                      rings("second"),
                      r -> flink.count(r, () -> new TimeSorter(List.of(tooLarge)))))
          .hasRootCauseInstanceOf(OutOfMemoryError.class)
          .cause()
          .isInstanceOf(InspectException.class)
          .hasMessageContaining("out of memory")
          .hasMessageContaining("-Xmx");
      assertThat(summarise(flink, capture, "third")).isEqualTo(summary);
    }
  }

  @Test
  void shouldSayWhenACaptureChangedBetweenItsTwoPasses() throws Exception {
    Path capture = Path.of(jumbled());
    try (InspectFlink flink = InspectFlink.start(1)) {
      TrafficSummary summary = summarise(flink, capture, "first");
      for (int packets : new int[] {2, 4}) {
        UnsortedFlow other = claiming(packets, summary.unsortedFlows().getFirst());

        assertThatThrownBy(
                () ->
                    CapturePass.of(
                        capture,
                        rings("of " + packets),
                        r -> flink.count(r, () -> new TimeSorter(List.of(other)))))
            .hasMessageContaining("changed while it was read twice");
      }
    }
  }

  @Test
  void shouldMakeRoomForFlowsAndWindowsWithinTheHeap() {
    long heapBytes = 2L << 30;
    InspectLimits limits = InspectLimits.ofHeap(heapBytes, 2);

    assertThat(limits.flows()).isBetween(2_000_000, 3_500_000);
    assertThat(limits.synWindows()).isBetween(200_000, 600_000);
    assertThat(limits.sortedTimes() * (long) Long.BYTES).isLessThan(heapBytes * 2 / 3);
    assertThat(InspectLimits.ofHeap(1L << 40, 2).sortedTimes()).isPositive();
  }

  /** Three packets of one flow, not in the order of time. */
  private String jumbled() throws Exception {
    return new TinyCapture()
        .tcp(50, 1, 1, 2, 80, ACK)
        .tcp(20, 1, 1, 2, 80, ACK)
        .tcp(60, 1, 1, 2, 80, ACK)
        .write(folder.resolve("jumbled.pcap"));
  }

  private TrafficSummary summarise(InspectFlink flink, Path capture, String rings)
      throws Exception {
    return CapturePass.of(
            capture,
            rings(rings),
            r -> flink.count(r, () -> new TrafficCounter(TestRecords.LIMITS)))
        .answer()
        .stream()
        .reduce(TrafficSummary::plus)
        .orElseThrow();
  }

  private RingDirectory rings(String name) {
    return new RingDirectory(folder.resolve(name));
  }

  private static UnsortedFlow claiming(long packets, UnsortedFlow flow) {
    return new UnsortedFlow(flow.tuple(), flow.hash(), flow.direction(), packets);
  }

  private static String error(Inspection inspection) {
    assertThat(inspection).isInstanceOf(Inspection.Failure.class);
    return ((Inspection.Failure) inspection).error();
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect;

import static dev.flowstone.inspect.traffic.TestRecords.ACK;
import static dev.flowstone.inspect.traffic.TestRecords.SYN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.inspect.count.InspectException;
import dev.flowstone.inspect.count.InspectLimits;
import dev.flowstone.inspect.flow.Gaps;
import dev.flowstone.inspect.flow.TimeSorter;
import dev.flowstone.inspect.flow.UnsortedFlow;
import dev.flowstone.inspect.report.Inspection;
import dev.flowstone.inspect.traffic.SynCount;
import dev.flowstone.inspect.traffic.TestRecords;
import dev.flowstone.inspect.traffic.TrafficCounter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Captures that need more memory than there is have an error each; others have their answers. */
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
    try (InspectRun run = new InspectRun(files.size(), new InspectLimits(19, 2, 5))) {
      run.inspect(files, inspections::add);
    }

    assertThat(error(inspections.get(0)))
        .contains("too many flows", "at least 20, room for 19", "editcap", "-Xmx")
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
  void shouldSayWhenACaptureChangedBetweenItsTwoPasses() throws Exception {
    Path capture = Path.of(jumbled());
    TrafficCounter counter = new TrafficCounter(TestRecords.LIMITS);
    CapturePass.over(capture, counter);
    UnsortedFlow flow = counter.summary().unsortedFlows().getFirst();
    assertThat(gaps(capture, flow)).containsEntry(flow, new Gaps(2, 10L, 30L));
    for (int packets : new int[] {2, 4}) {
      UnsortedFlow other = new UnsortedFlow(flow.tuple(), flow.hash(), flow.direction(), packets);
      assertThatThrownBy(() -> gaps(capture, other))
          .isInstanceOf(InspectException.class)
          .hasMessageContaining("changed while it was read twice");
    }
  }

  private static Map<UnsortedFlow, Gaps> gaps(Path capture, UnsortedFlow flow) {
    TimeSorter sorter = new TimeSorter(List.of(flow));
    CapturePass.over(capture, sorter);
    return sorter.gaps();
  }

  @Test
  void shouldMakeRoomForFlowsAndWindowsWithinTheHeap() {
    long heapBytes = 2L << 30;
    InspectLimits limits = InspectLimits.ofHeap(heapBytes);

    assertThat(limits.flows()).isBetween(4_000_000, 7_000_000);
    assertThat(limits.synWindows()).isBetween(400_000, 1_200_000);
    assertThat(limits.sortedTimes() * (long) Long.BYTES).isLessThan(heapBytes * 2 / 3);
    assertThat(InspectLimits.ofHeap(1L << 40).sortedTimes()).isPositive();
  }

  /** Three packets of one flow, not in the order of time. */
  private String jumbled() throws Exception {
    return new TinyCapture()
        .tcp(50, 1, 1, 2, 80, ACK)
        .tcp(20, 1, 1, 2, 80, ACK)
        .tcp(60, 1, 1, 2, 80, ACK)
        .write(folder.resolve("jumbled.pcap"));
  }

  private static String error(Inspection inspection) {
    assertThat(inspection).isInstanceOf(Inspection.Failure.class);
    return ((Inspection.Failure) inspection).error();
  }
}

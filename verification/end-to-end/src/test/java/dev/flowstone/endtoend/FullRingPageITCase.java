// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.monitoring.page.PagePlaces;
import dev.flowstone.monitoring.page.PageServer;
import dev.flowstone.offheap.ring.GatingReader;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingStart;
import dev.flowstone.processes.Patience;
import dev.flowstone.testbed.browser.Chromium;
import dev.flowstone.testbed.browser.ShownPage;
import dev.flowstone.testbed.browser.ShownPage.Edge;
import dev.flowstone.testbed.browser.ToldByPage;
import dev.flowstone.testbed.faults.MortalTap;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the page shows of rings that are full, for their readers stand still. */
@Timeout(180)
class FullRingPageITCase {
  /** Nobody listens there. */
  private static final String NO_FLINK = "http://127.0.0.1:1";

  private static final int RATES = 3;
  private static final int PACKETS_PER_SECOND = 5_000;
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final String DROP = "dropped since a ring is full";

  @TempDir private Path folder;

  @Test
  void shouldTellHowMuchRingsDropAndSinceWhen() throws Exception {
    Chromium.require();
    try (ScratchFolder rings = ScratchFolder.inMemory("full-rings");
        MortalTap tap =
            new MortalTap(folder, rings.path(), MortalTap.synthetic(PACKETS_PER_SECOND, "64k"))) {
      tap.start();
      try (RingFile one = open(rings, 0);
          RingFile other = open(rings, 1);
          GatingReader _ = new GatingReader(one, "still", RingStart.OLDEST);
          GatingReader _ = new GatingReader(other, "still", RingStart.OLDEST);
          PageServer server = PageServer.bind(PageServer.LOCALHOST, 0)) {
        server.start(
            new PagePlaces(
                NO_FLINK,
                Optional.empty(),
                Optional.empty(),
                List.of(rings.path()),
                Optional.empty()));
        try (ShownPage page = ShownPage.open(server.url())) {
          requireToldWhileItGoesOn(page);
          requireRates(page, server.url());
          tap.end();
          requireSum(page, tap);
        }
      }
    }
  }

  private static RingFile open(ScratchFolder rings, int ring) {
    return RingFile.open(new RingDirectory(rings.path()).ringFile(ring));
  }

  private static void requireToldWhileItGoesOn(ShownPage page) throws Exception {
    page.await("document.querySelectorAll('[data-incident=\"RING\"]').length === 2");
    assertThat(page.text("#incidents"))
        .containsPattern(
            "\\d\\d:\\d\\d:\\d\\d\\s+ring\\s+goes on\\s+ring 0 of .* is full and drops packets:"
                + " [0-9,]+ so far; its readers hold it")
        .contains("ring 1 of");
    assertThat(page.edges().get("tap-rings").drops()).containsOnlyKeys(DROP);
    page.await("document.querySelector('path.edge[data-loss]') !== null");
  }

  /** What is written beside the tap is the sum of what is told of its rings, at the same counts. */
  private static void requireRates(ShownPage page, String url) throws Exception {
    Map<Long, Long> told = new HashMap<>();
    Set<Long> compared = new HashSet<>();
    Patience patience = new Patience(LIMIT);
    try (ToldByPage state = ToldByPage.at(url)) {
      while (compared.size() < RATES) {
        assertThat(patience.isOver(compared)).as("%s; %s", told, page.edges()).isFalse();
        List<JsonNode> offered = state.state().at("/rings/value/rings").findValues("offered");
        told.put(sum(offered, "count"), sum(offered, "per_second"));
        Edge edge = page.edges().get("tap-rings");
        if (edge.rate() > 0 && told.containsKey(edge.count())) {
          assertThat(edge.rate()).isEqualTo(told.get(edge.count()));
          assertThat(edge.rate()).isBetween(PACKETS_PER_SECOND / 2L, 2L * PACKETS_PER_SECOND);
          compared.add(edge.count());
        }
      }
    }
  }

  private static long sum(List<JsonNode> counts, String field) {
    return counts.stream().mapToLong(count -> count.path(field).asLong()).sum();
  }

  /** At rest it is what the rings' headers say. */
  private static void requireSum(ShownPage page, MortalTap tap) throws Exception {
    page.await("document.querySelector('[data-edge=\"tap-rings\"]').dataset.rate === '0'");
    long offered = tap.offered().values().stream().mapToLong(Long::longValue).sum();
    assertThat(tap.dropped()).isPositive();
    assertThat(page.edges().get("tap-rings"))
        .isEqualTo(new Edge(offered, 0, Map.of(DROP, tap.dropped())));
    page.await("!document.querySelector('#incidents').innerText.includes('goes on')");
    assertThat(page.complaints()).isEmpty();
  }
}

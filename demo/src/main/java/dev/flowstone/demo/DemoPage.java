// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.harness.DemoAddresses;
import dev.flowstone.monitoring.page.PagePlaces;
import dev.flowstone.monitoring.page.PageServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The page of a demo, served by its process. */
final class DemoPage {
  private static final int USUAL_PORT = 8090;
  private static final int ANY_PORT = 0;

  private DemoPage() {}

  /**
   * Takes a port on localhost.
   *
   * @param asked empty: the usual one, or any where somebody has that
   */
  static PageServer bind(Optional<Integer> asked) throws IOException {
    if (asked.isPresent()) {
      return PageServer.bind(PageServer.LOCALHOST, asked.get());
    }
    try {
      return PageServer.bind(PageServer.LOCALHOST, USUAL_PORT);
    } catch (IOException taken) {
      return PageServer.bind(PageServer.LOCALHOST, ANY_PORT);
    }
  }

  static PagePlaces places(DemoAddresses demo, Path rules) {
    return new PagePlaces(
        demo.flink(),
        Optional.of(DemoFlink.JOB_NAME),
        Optional.ofNullable(demo.questdb()),
        List.of(Path.of(demo.rings())),
        Optional.of(rules));
  }
}

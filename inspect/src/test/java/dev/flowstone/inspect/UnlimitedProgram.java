// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect;

import dev.flowstone.inspect.count.InspectLimits;
import dev.flowstone.inspect.report.TextReport;
import java.util.List;

/** Inspects captures without a limit but the heap. */
final class UnlimitedProgram {
  private static final InspectLimits NONE =
      new InspectLimits(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE);

  private UnlimitedProgram() {}

  public static void main(String[] files) throws Exception {
    try (InspectRun run = new InspectRun(1, NONE)) {
      run.inspect(
          List.of(files), inspection -> System.out.println(new TextReport().text(inspection)));
    }
  }
}

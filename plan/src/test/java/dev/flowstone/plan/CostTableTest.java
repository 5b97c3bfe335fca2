// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class CostTableTest {
  private static final CostTable OF_PAGE = CostTable.read(Pages.ROOT);

  /** With these, every cost has a part in some line. */
  private static final List<Traffic> SITES =
      List.of(
          RoundCosts.ALL_FUNCTIONS,
          new Traffic(8e6, 1e8, RoundCosts.ALL_FUNCTIONS.shares(), 1_000, 100, 0),
          new Traffic(2_000, 1e3, Map.of(Function.PASS, 1.0), 0, 100, 0));

  private static List<String> page() throws IOException {
    return Files.readAllLines(Pages.ROOT.resolve(CostTable.PAGE));
  }

  private static List<String> changed(String from, String to) throws IOException {
    List<String> page = new ArrayList<>(page());
    page.replaceAll(line -> line.replace(from, to));
    assertThat(page).as("the page has: %s", from).isNotEqualTo(page());
    return page;
  }

  @Test
  void shouldReadThePageThatIsShipped() {
    assertThat(OF_PAGE.values()).containsOnlyKeys(Cost.values());
    assertThat(OF_PAGE.machine()).contains("2 virtual cores", "AMD EPYC");
    assertThat(OF_PAGE.of(Cost.HISTOGRAM_FLOW)).as("a number with a comma").isEqualTo(1_020);
  }

  /** A row that no sum uses would be kept for nothing. */
  @ParameterizedTest
  @EnumSource(Cost.class)
  void shouldHaveNoRowThatChangesNoPlan(Cost cost) {
    if (cost == Cost.RESTART_TIME) {
      return; // The default of --restart: PlanCommandTest.
    }
    CostTable doubled = OF_PAGE.with(cost, value -> 2 * value);
    assertThat(SITES)
        .anySatisfy(
            traffic -> assertThat(values(traffic, doubled)).isNotEqualTo(values(traffic, OF_PAGE)));
  }

  private static List<List<Double>> values(Traffic traffic, CostTable costs) {
    return Sizing.of(RoundCosts.site(traffic), costs, 1).groups().stream()
        .flatMap(group -> group.amounts().stream())
        .map(amount -> List.of(amount.each(), amount.all()))
        .toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "`job.read` ; `job.reads` ; nobody asks for job.reads",
        "`job.read` ; `tap.take` ; tap.take stands there twice",
        "| 3.3 | ns | ; | 3.3 | us | ; job.read is in ns, not in us",
        "| 3.3 | ns | ; | fast | ns | ; not a number above zero: fast",
        "| 3.3 | ns | ; | 0 | ns | ; not a number above zero: 0",
        "| 3.3 | ns | ; | -1 | ns | ; not a number above zero: -1",
        "| 3.3 | ns | ; | NaN | ns | ; not a number above zero: NaN",
        "| 3.3 | ns | ; | 1e400 | ns | ; not a number above zero: 1e400",
      })
  void shouldNameTheLineThatIsWrong(String from, String to, String reason) throws IOException {
    List<String> page = changed(from, to);
    int line = 1;
    while (!page.get(line - 1).contains(to)
        || (to.equals("`tap.take`") && !page.get(line - 1).contains("3.3"))) {
      line++;
    }
    assertThatThrownBy(() -> CostTable.parse(page, "page.md"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("page.md:" + line + ": " + reason);
  }

  @Test
  void shouldNameWhatIsMissing() throws IOException {
    assertThatThrownBy(() -> CostTable.parse(changed("| `job.read` |", "| job.read |"), "page.md"))
        .hasMessage("page.md: no row for job.read");
    assertThatThrownBy(() -> CostTable.parse(changed("Measured on ", "Somewhere on "), "page.md"))
        .hasMessage("page.md: no line \"Measured on ...\"");
    assertThatThrownBy(() -> CostTable.parse(List.of("# Performance"), "page.md"))
        .hasMessage("page.md: no section \"## What things cost\"");
  }

  @Test
  void shouldReadNoTableOfAnotherSection() {
    List<String> page =
        List.of("## What things cost", "## Else", "| `job.read` | x | 3 | ns | y |");
    assertThatThrownBy(() -> CostTable.parse(page, "page.md")).hasMessageContaining("job.read");
  }

  @Test
  void shouldSayWhereThePageShouldBe(@TempDir Path folder) {
    assertThatThrownBy(() -> CostTable.read(folder))
        .hasMessageContaining(folder.resolve("docs/performance.md") + ": the costs stand there");
  }

  @Test
  void shouldMakeProcessorTimesAloneSmallerOnAFasterMachine() {
    CostTable faster = RoundCosts.TABLE.faster(2);
    assertThat(Stream.of(Cost.values()).filter(cost -> faster.of(cost) < RoundCosts.TABLE.of(cost)))
        .allMatch(cost -> cost.measure().isProcessorTime())
        .contains(Cost.JOB_READ, Cost.JOB_IDLE, Cost.BROKER_BYTE)
        .doesNotContain(Cost.RESTART_TIME);
    assertThat(faster.of(Cost.JOB_READ)).isEqualTo(2.5);
  }
}

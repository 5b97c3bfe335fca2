// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StateFolderTest {
  private static final StateFolder STATE = new StateFolder(Path.of("/state"));

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "/x", "../../x", "a/b", ".hidden", "a\nb", "a\u0000b"})
  void shouldRefuseNamesThatLeadElsewhere(String name) {
    assertThatThrownBy(() -> STATE.job(name)).hasMessageStartingWith("--name must be ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"platform", "second platform", "a..b", "köln"})
  void shouldHaveAFolderForEachJob(String name) {
    assertThat(STATE.job(name)).isEqualTo(Path.of("/state/jobs", name));
  }
}

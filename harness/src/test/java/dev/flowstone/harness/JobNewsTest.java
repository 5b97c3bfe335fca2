// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.harness;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class JobNewsTest {
  private static final Logger SOURCE = LoggerFactory.getLogger("dev.flowstone.connector.Source");
  private static final Logger RULES = LoggerFactory.getLogger("dev.flowstone.operators.ruled.Any");
  private static final Logger FLINK = LoggerFactory.getLogger("org.apache.flink.Any");

  private final JobNews news = JobNews.listen();

  @Test
  void shouldTellWhatFlowstoneWarnsOfAndWhichRulesAreInForce() {
    SOURCE.info("is well");
    SOURCE.warn("ring {} is not read", 3);
    RULES.info("rules are in force, version {}", 2);
    RULES.warn("refused");
    RULES.debug("looked");
    FLINK.error("not of Flowstone");
    assertThat(news.take())
        .containsExactly(
            "warning: ring 3 is not read", "rules are in force, version 2", "warning: refused");
    assertThat(news.take()).isEmpty();
  }

  @Test
  void shouldTellThatThereAreMoreThanCanBeRead() {
    for (int i = 0; i < 1_000; i++) {
      SOURCE.warn("again");
      SOURCE.warn("ring {} is not read", i);
    }
    assertThat(news.take())
        .hasSize(11)
        .startsWith("warning: again", "warning: ring 0 is not read")
        .endsWith("warning: 991 more warnings, which are in the log");
    SOURCE.warn("again");
    assertThat(news.take()).containsExactly("warning: again");
  }

  @Test
  void shouldTellTheLatestListenerAlone() {
    JobNews latest = JobNews.listen();
    SOURCE.warn("once");
    assertThat(latest.take()).containsExactly("warning: once");
    assertThat(news.take()).isEmpty();
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What commands say, as far as a test goes on with it. */
public final class SaidWords {
  private SaidWords() {}

  /** Address of a Flink that was started. */
  public static String web(String said) {
    return first("http://localhost:\\d+", said);
  }

  /** That of a job that was submitted, not the one in the path that it may resume from. */
  public static String jobId(String said) {
    return first("(?<!/)[0-9a-f]{32}", said);
  }

  /** Path of one that Flink has made. */
  public static String savepoint(String said) {
    return first("file:/\\S+/savepoint-\\S+", said);
  }

  private static String first(String pattern, String said) {
    Matcher found = Pattern.compile(pattern).matcher(said);
    assertThat(found.find()).as(said).isTrue();
    return found.group();
  }
}

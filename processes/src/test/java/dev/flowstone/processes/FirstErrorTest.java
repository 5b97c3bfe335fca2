// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processes;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FirstErrorTest {

  @Test
  void shouldPreferTheProgramsOwnLine() {
    assertThat(FirstError.in("WARNING: odd\nERROR x\nflowstone: cannot write f\nmore\n"))
        .contains("cannot write f");
  }

  @Test
  void shouldFindTheRootOfAChain() {
    String trace =
        """
        Exception in thread "main" java.lang.IllegalStateException: outer
        \tat a.B.c(B.java:1)
        Caused by: java.io.IOException: middle
        \t... 1 more
        Caused by: java.net.ConnectException: refused
        \t... 2 more
        """;
    assertThat(FirstError.in(trace)).contains("java.net.ConnectException: refused");
  }

  @Test
  void shouldExplainMemoryThatIsGone() {
    assertThat(
            FirstError.in(
                "Exception in thread \"main\" java.lang.InternalError: a fault occurred in an"
                    + " unsafe memory access operation\n\tat a.B.c(B.java:1)\n"))
        .hasValueSatisfying(
            words -> assertThat(words).contains("InternalError: ", "a file was cut short"));
  }

  @Test
  void shouldTakeTheFirstWordsThatAreNoWarning() {
    String said = "warning: a ring is small\n\n  something else\nlast\n";
    assertThat(FirstError.orFirstWordsIn(said)).contains("something else");
    assertThat(FirstError.in(said)).as("without doubt an error").isEmpty();
  }

  @Test
  void shouldFindNothingInNothing() {
    assertThat(FirstError.orFirstWordsIn(" \n")).isEmpty();
  }
}

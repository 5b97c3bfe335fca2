// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Where the page has its numbers from.
 *
 * @param flink address of its REST interface, {@code http://HOST:PORT}
 * @param job name, or how its id begins; empty: the one at work
 * @param questDb {@code http://HOST:PORT}; empty: there is none
 * @param login as whom that one is asked
 * @param rings folders of ring files on this machine
 * @param rules the file that the job has its rules from
 */
public record PagePlaces(
    String flink,
    Optional<String> job,
    Optional<String> questDb,
    QuestDbLogin login,
    List<Path> rings,
    Optional<Path> rules) {

  /** With a QuestDB that lets in whoever asks. */
  public PagePlaces(
      String flink,
      Optional<String> job,
      Optional<String> questDb,
      List<Path> rings,
      Optional<Path> rules) {
    this(flink, job, questDb, QuestDbLogin.NONE, rings, rules);
  }
}

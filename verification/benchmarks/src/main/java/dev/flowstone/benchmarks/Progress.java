// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

/** What is being done, for whoever waits; standard output is for the result alone. */
final class Progress {
  private Progress() {}

  static void say(String what) {
    System.err.println("bench: " + what);
  }
}

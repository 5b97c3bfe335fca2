// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** CPU time that processes took, user and kernel, from {@code /proc/PID/stat}. */
final class CpuTime {
  /** USER_HZ, 100 on every Linux architecture that Flowstone runs on. */
  private static final long NS_PER_TICK = 10_000_000;

  /** Fields after the command's closing parenthesis: state is 0, utime 11, stime 12. */
  private static final int USER_FIELD = 11;

  private static final int KERNEL_FIELD = 12;

  private CpuTime() {}

  static long ofNs(ProcessHandle... processes) {
    long sum = 0;
    for (ProcessHandle process : processes) {
      sum += ofNs(process.pid());
    }
    return sum;
  }

  /**
   * What was taken from one look to another: at least the tick that the kernel may not have counted
   * yet, so that no rate of a short while is endless.
   */
  static long betweenNs(long startNs, long endNs) {
    if (endNs < startNs) {
      throw new IllegalArgumentException(
          "processor time went back: startNs=" + startNs + ", endNs=" + endNs);
    }
    return Math.max(NS_PER_TICK, endNs - startNs);
  }

  private static long ofNs(long pid) {
    Path file = Path.of("/proc", Long.toString(pid), "stat");
    try {
      String line = Files.readString(file);
      String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
      return (Long.parseLong(fields[USER_FIELD]) + Long.parseLong(fields[KERNEL_FIELD]))
          * NS_PER_TICK;
    } catch (IOException e) {
      throw new UncheckedIOException(file + ": the process is gone", e);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processortime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.LongStream;

/**
 * The processor time of this process, of its running descendants, and of the descendants that have
 * ended and were waited for. Linux counts the latter in {@code cutime} and {@code cstime} of {@code
 * /proc/PID/stat}.
 */
final class ProcessTreeTime {
  /** Linux reports times to programs in ticks of this length on every architecture of ours. */
  private static final double TICKS_PER_SECOND = 100;

  /** utime, stime, cutime and cstime are the fields 14 to 17; the state is field 3. */
  private static final int FIRST_TIME = 14 - 3;

  private static final int TIMES = 4;

  private ProcessTreeTime() {}

  static double seconds() {
    ProcessHandle self = ProcessHandle.current();
    LongStream tree =
        LongStream.concat(
            LongStream.of(self.pid()), self.descendants().mapToLong(ProcessHandle::pid));
    return tree.map(ProcessTreeTime::ticks).sum() / TICKS_PER_SECOND;
  }

  private static long ticks(long pid) {
    String stat;
    try {
      stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
    } catch (IOException ended) {
      return 0;
    }
    // The name of the program stands in parentheses and may contain spaces.
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    long sum = 0;
    for (int i = FIRST_TIME; i < FIRST_TIME + TIMES; i++) {
      sum += Long.parseLong(fields[i]);
    }
    return sum;
  }
}

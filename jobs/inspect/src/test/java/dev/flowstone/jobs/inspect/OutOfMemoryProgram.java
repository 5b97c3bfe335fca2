// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import dev.flowstone.harness.FatalErrors;
import dev.flowstone.harness.ScratchFolder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Waits for a thread that will never be done, because it takes all memory. */
final class OutOfMemoryProgram {
  private static final int PIECE_BYTES = 1 << 10;

  private OutOfMemoryProgram() {}

  public static void main(String[] arguments) throws Exception {
    ScratchFolder folder = ScratchFolder.inMemory("inspect-test");
    System.out.println(folder.path());
    MemoryWatch memory = MemoryWatch.start(folder);
    FatalErrors.listen(error -> memory.end());
    CountDownLatch done = new CountDownLatch(1);
    Thread.ofPlatform().start(() -> fill(done));
    done.await();
  }

  private static void fill(CountDownLatch done) {
    List<byte[]> pieces = new ArrayList<>();
    while (!pieces.contains(null)) {
      pieces.add(new byte[PIECE_BYTES]);
    }
    done.countDown();
  }
}

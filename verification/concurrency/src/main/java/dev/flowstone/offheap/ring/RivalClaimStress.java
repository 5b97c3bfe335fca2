// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZZ_Result;

/** Rivals: two readers of one name start together. In the end one of them has one lane. */
@JCStressTest
@Outcome(id = "1, true, false", expect = ACCEPTABLE, desc = "The second fenced, or gave way.")
@Outcome(id = "1, false, true", expect = ACCEPTABLE, desc = "The first fenced, or gave way.")
@Outcome(expect = FORBIDDEN, desc = "Two lanes hold the ring, or two readers think they do.")
@State
public class RivalClaimStress extends SharedRing {
  private static final String NAME = "reader";
  private static final Path LOCKED = newFile();
  private RingLane first;
  private RingLane second;

  private static Path newFile() {
    try {
      Path file = Files.createTempFile("flowstone-rivals-", ".lock");
      file.toFile().deleteOnExit();
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  ClaimTurn turn() {
    return ClaimTurn.byLockOf(LOCKED);
  }

  @Actor
  public void claimFirst() {
    first = lanes.claim(gating(NAME), 0);
  }

  @Actor
  public void claimSecond() {
    second = lanes.claim(gating(NAME), 0);
  }

  @Arbiter
  public void count(IZZ_Result seen) {
    seen.r1 = lanes.occupants().size();
    seen.r2 = first.isHeld();
    seen.r3 = second.isHeld();
  }
}

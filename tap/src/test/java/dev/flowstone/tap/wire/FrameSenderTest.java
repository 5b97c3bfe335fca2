// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.raw.PacketSource;
import dev.flowstone.tap.Pacer;
import dev.flowstone.traffic.synthetic.SyntheticOptions;
import dev.flowstone.traffic.synthetic.SyntheticSource;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FrameSenderTest {
  private static final int HEADER_BYTES = 24;

  @TempDir Path folder;
  private Path pipe;
  private final AtomicBoolean isMade = new AtomicBoolean();

  @BeforeEach
  void makePipe() throws Exception {
    pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
  }

  private PacketSource make(long packets) {
    isMade.set(true);
    return new SyntheticSource(
        SyntheticOptions.preset("esnet-1500-812k").withPacketsPerSecond(1000).withPackets(packets));
  }

  @Test
  void shouldBeginWhenSomebodyReadsAndSendEachFrameWhenItIsDue() throws Exception {
    try (FrameSender sender = FrameSender.start(pipe, () -> make(500), () -> Pacer.recorded(1))) {
      Thread.sleep(300);
      assertThat(isMade).isFalse();
      long beganNs = System.nanoTime();
      try (InputStream read = Files.newInputStream(pipe)) {
        assertThat(read.readAllBytes().length).isGreaterThan(HEADER_BYTES + 500 * 16);
      }
      assertThat(System.nanoTime() - beganNs).isGreaterThan(300_000_000L);
      sender.requireNoFailure();
    }
  }

  /** To make traffic takes a moment, and a time that somebody asked for is one of traffic. */
  @Test
  void shouldSayThatItBeginsWhenItsTrafficIsMadeAndBeforeItIsSent() throws Exception {
    AtomicInteger began = new AtomicInteger();
    try (FrameSender sender = FrameSender.start(pipe, () -> make(10), Pacer::unpaced)) {
      sender.whenItBegins(
          () -> {
            assertThat(isMade).isTrue();
            began.incrementAndGet();
          });
      try (InputStream read = Files.newInputStream(pipe)) {
        assertThat(read.read()).isNotNegative();
        assertThat(began).hasValue(1);
        read.readAllBytes();
      }
      sender.requireNoFailure();
      assertThat(began).hasValue(1);
    }
  }

  /** A sender that still waited would outlive the limit of its close. */
  @Test
  void shouldEndWhenItIsClosedBeforeAReaderCame() {
    FrameSender.start(pipe, () -> make(1), Pacer::unpaced).close();
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .doesNotContain("wire-" + pipe.getFileName());
    assertThat(isMade).isFalse();
  }

  @Test
  void shouldEndWithItsReaderAndWhenItIsClosed() throws Exception {
    FrameSender sender = FrameSender.start(pipe, () -> make(10_000_000), Pacer::unpaced);
    try (InputStream read = Files.newInputStream(pipe)) {
      assertThat(read.readNBytes(1000)).hasSize(1000);
      // It waits now, for the pipe is full.
      Thread.sleep(100);
      sender.close();
      assertThat(read.readAllBytes().length).isLessThan(10_000_000);
    }
    sender.requireNoFailure();
    try (FrameSender other = FrameSender.start(pipe, () -> make(10_000_000), Pacer::unpaced)) {
      Files.newInputStream(pipe).close();
      other.requireNoFailure();
    }
  }

  @Test
  void shouldSayThatItsTrafficCannotBeMade() throws Exception {
    FrameSender sender =
        FrameSender.start(
            pipe,
            () -> {
              throw new IllegalStateException("no more hosts");
            },
            Pacer::unpaced);
    try (InputStream read = Files.newInputStream(pipe)) {
      assertThat(read.readAllBytes()).isEmpty();
    } finally {
      sender.close();
    }
    assertThat(sender.hasFailed()).isTrue();
    assertThatThrownBy(sender::requireNoFailure).hasRootCauseMessage("no more hosts");
  }
}

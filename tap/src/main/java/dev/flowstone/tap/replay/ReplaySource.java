// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

import dev.flowstone.model.abi.RawPacketFlag;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.raw.SourceCounters;
import dev.flowstone.raw.SourceNotice;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Packets of capture files, one file after the other, in one or more laps. Descriptors point into
 * the piece of a file that is in memory. All files are opened at the start, so that a file that
 * cannot be read is known before the first packet.
 */
public final class ReplaySource implements PacketSource {
  private final Arena arena = Arena.ofShared();
  private final CaptureCounts counts = new CaptureCounts();
  private final List<CaptureFile> files = new ArrayList<>();
  private final List<CaptureReader> readers = new ArrayList<>();
  private final LapClock lapClock = new LapClock();
  private final int laps;
  private final long lapBytes;
  private int lap;
  private int file;
  private boolean lapHadPackets;
  private long passedBytes;
  private long packets;
  private long wireBytes;
  private long capturedBytes;

  public ReplaySource(ReplayOptions options) {
    laps = options.laps();
    CaptureWindow window = new CaptureWindow(arena);
    try {
      options.files().forEach(path -> open(CaptureFile.open(path, window)));
    } catch (RuntimeException e) {
      close();
      throw e;
    }
    lapBytes = readers.stream().mapToLong(reader -> reader.size).sum();
  }

  private void open(CaptureFile file) {
    files.add(file);
    readers.add(CaptureFormat.open(file, counts));
    file.forget();
  }

  @Override
  public int fill(RawPacketBatch batch) {
    while (file < readers.size()) {
      CaptureReader reader = readers.get(file);
      reader.fill(batch, lapClock.shiftNs());
      if (batch.count() > 0) {
        lapHadPackets = true;
        count(batch);
        return batch.count();
      }
      nextFile(reader);
    }
    return END;
  }

  private void nextFile(CaptureReader finished) {
    passedBytes += finished.size;
    if (readers.size() > 1) {
      finished.capture.forget();
    }
    file++;
    // Files without a single packet would be read round and round.
    boolean again = laps == ReplayOptions.FOREVER || lap + 1 < laps;
    if (file == readers.size() && again && lapHadPackets) {
      lap++;
      file = 0;
      lapHadPackets = false;
      lapClock.nextLap();
      files.forEach(CaptureFile::requireWhole);
      readers.forEach(CaptureReader::rewind);
    }
  }

  private void count(RawPacketBatch batch) {
    boolean learning = lap == 0;
    long wire = 0;
    long captured = 0;
    for (int i = 0; i < batch.count(); i++) {
      long timeNs = batch.timeNs(i);
      if (learning && (batch.flags(i) & RawPacketFlag.UNTIMED) == 0) {
        lapClock.learn(timeNs);
      }
      wire += batch.wireBytes(i);
      captured += batch.capturedBytes(i);
    }
    packets += batch.count();
    wireBytes += wire;
    capturedBytes += captured;
  }

  /** Laps begun before the current one. */
  public int lap() {
    return lap;
  }

  @Override
  public int clock() {
    return RingClock.CAPTURE;
  }

  @Override
  public SourceCounters counters() {
    return new SourceCounters(
        packets,
        wireBytes,
        capturedBytes,
        counts.losses.total(),
        counts.skipped,
        counts.malformed.counts(),
        counts.malformed.notes(),
        counts.receiveErrors == 0
            ? Map.of()
            : Map.of(SourceNotice.RECEIVE_ERROR, counts.receiveErrors));
  }

  @Override
  public long takeLostBeforeTap() {
    return counts.losses.take();
  }

  @Override
  public double progress() {
    if (laps == ReplayOptions.FOREVER) {
      return Double.NaN;
    }
    if (file == readers.size()) {
      return 1;
    }
    return (passedBytes + readers.get(file).offset) / ((double) lapBytes * laps);
  }

  @Override
  public void close() {
    files.forEach(CaptureFile::close);
    arena.close();
  }
}

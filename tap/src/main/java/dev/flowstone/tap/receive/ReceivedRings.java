// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.tap.datagram.DatagramHeader;
import dev.flowstone.tap.datagram.Refusal;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * All rings of a receiver, made like a sender's. Closed by whoever made them; one thread, any may
 * ask for counters.
 */
final class ReceivedRings implements AutoCloseable {
  private final RingArrangement arrangement;
  private final RingSetWriter writer;
  private final ReceivedBooks books;
  private final RecordRewriter rewriter;
  private final List<ReceivedRing> rings = new ArrayList<>();

  /** Whom a former receiver listened to, until somebody is heard. */
  private Optional<HeardSender> former;

  /** Makes them, and goes on where those that they replace had come. */
  ReceivedRings(
      RingArrangement arrangement, RingMaker maker, ReceiveOptions options, Consumer<String> say) {
    this.arrangement = arrangement;
    Path folder = maker.directory().path();
    writer = maker.make(arrangement.ringCount(), arrangement.maxParallelism(), arrangement.clock());
    try {
      // Not before: until then another receiver may be at work there.
      FormerBooks formerBooks = FormerBooks.read(folder);
      former = formerBooks.sender();
      List<Optional<SenderPlace>> places =
          IntStream.range(0, arrangement.ringCount())
              .mapToObj(ring -> formerBooks.place(ring, writer.ringFile(ring).lineage()))
              .toList();
      books = ReceivedBooks.create(folder, writer, former, places);
      rewriter = new RecordRewriter(writer);
      for (int ring = 0; ring < arrangement.ringCount(); ring++) {
        ReceivedRing received = new ReceivedRing(ring, writer, rewriter, books, options, say);
        rings.add(received);
        places.get(ring).ifPresent(received::resume);
      }
    } catch (RuntimeException e) {
      writer.close();
      throw e;
    }
  }

  RingArrangement arrangement() {
    return arrangement;
  }

  RingSetWriter writer() {
    return writer;
  }

  /** Datagrams of another run follow, which a former receiver may have listened to. */
  void beginRun(HeardSender sender) {
    boolean isFormers = former.filter(sender::equals).isPresent();
    former = Optional.empty();
    rings.forEach(ring -> ring.beginRun(isFormers));
    books.note(sender);
  }

  Optional<Refusal> offer(MemorySegment memory, int lengthBytes, long nowNs) {
    return rings.get(DatagramHeader.ring(memory, 0)).offer(memory, lengthBytes, nowNs);
  }

  void lookAtTime(long nowNs) {
    for (int ring = 0; ring < rings.size(); ring++) {
      rings.get(ring).lookAtTime(nowNs);
    }
  }

  /** Returns whether any ring received packets, which other rings would not have. */
  boolean hasPackets() {
    return rings.stream().anyMatch(ReceivedRing::hasPackets);
  }

  /** Whether the sender said of all of them that nothing more comes. */
  boolean isEnded() {
    return rings.stream().allMatch(ReceivedRing::isEnded);
  }

  /** Nothing comes any more. */
  void end() {
    rings.forEach(ReceivedRing::handOnAll);
    writer.end();
    if (isEnded()) {
      books.noteEnd();
    }
  }

  List<ReceiveCounters.OfRing> counters() {
    return rings.stream().map(ReceivedRing::counters).toList();
  }

  @Override
  public void close() {
    rings.forEach(ReceivedRing::close);
    rewriter.close();
    books.close();
    writer.close();
  }
}

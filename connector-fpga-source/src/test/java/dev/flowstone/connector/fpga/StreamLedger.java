// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import dev.flowstone.blocks.PacketBlock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Keeps in state, per stream, what came and what was told as lost, and the latest number of each
 * flow: one that is not greater than the one before it came twice or out of order. Several jobs in
 * one process keep ledgers side by side, by name.
 */
final class StreamLedger extends KeyedProcessFunction<Long, PacketBlock, Void> {
  private static final long serialVersionUID = 1L;

  private static final Map<String, Book> BOOKS = new ConcurrentHashMap<>();

  /** Packets of a stream. */
  record Account(long packets, long lost) {
    long accounted() {
      return packets + lost;
    }
  }

  /** What one job found out. */
  static final class Book {
    final Map<Long, Account> streams = new ConcurrentHashMap<>();
    final AtomicInteger repeated = new AtomicInteger();
    final AtomicInteger openedSubtasks = new AtomicInteger();

    long packets() {
      return streams.values().stream().mapToLong(Account::packets).sum();
    }

    long lost() {
      return streams.values().stream().mapToLong(Account::lost).sum();
    }
  }

  private final String job;
  private long pauseMs;
  private transient ValueState<Tuple2<Long, Long>> totals;
  private transient MapState<Integer, Integer> latest;

  StreamLedger(String job) {
    this.job = job;
  }

  /** Blocks heap up before it. */
  StreamLedger slowedDown() {
    pauseMs = 2;
    return this;
  }

  /** An empty book: what a restored job knows comes from its state. */
  static Book begin(String job) {
    Book book = new Book();
    BOOKS.put(job, book);
    return book;
  }

  @Override
  public void open(OpenContext context) {
    totals =
        getRuntimeContext()
            .getState(new ValueStateDescriptor<>("totals", Types.TUPLE(Types.LONG, Types.LONG)));
    latest =
        getRuntimeContext().getMapState(new MapStateDescriptor<>("latest", Types.INT, Types.INT));
    BOOKS.get(job).openedSubtasks.incrementAndGet();
  }

  @Override
  public void processElement(PacketBlock block, Context context, Collector<Void> out)
      throws Exception {
    Book book = BOOKS.get(job);
    Thread.sleep(pauseMs);
    for (int i = 0; i < block.count(); i++) {
      int flow = TestTap.flow(block.segment(), block.offsetOf(i));
      int number = TestTap.number(block.segment(), block.offsetOf(i));
      Integer before = latest.get(flow);
      if (before != null && number <= before) {
        book.repeated.incrementAndGet();
      }
      latest.put(flow, number);
    }
    Tuple2<Long, Long> known = totals.value() == null ? Tuple2.of(0L, 0L) : totals.value();
    Tuple2<Long, Long> now =
        Tuple2.of(known.f0 + block.count(), known.f1 + block.lossBefore().inRing());
    totals.update(now);
    book.streams.put(block.stream(), new Account(now.f0, now.f1));
  }
}

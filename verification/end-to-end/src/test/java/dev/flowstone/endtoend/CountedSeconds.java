// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.operators.user.PacketFunction;
import dev.flowstone.operators.user.PacketFunctionContext;
import dev.flowstone.results.Result;
import dev.flowstone.results.ResultFields;
import dev.flowstone.results.RuleTag;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

/** A user's function: packets of each ring in each stretch of seconds, as its options say. */
public final class CountedSeconds implements PacketFunction {
  static final String KIND = "counted_seconds";
  private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

  private record Stretch(long number, long stream) implements Comparable<Stretch> {
    @Override
    public int compareTo(Stretch other) {
      int byTime = Long.compare(number, other.number);
      return byTime != 0 ? byTime : Long.compare(stream, other.stream);
    }
  }

  private final TreeMap<Stretch, Long> packets = new TreeMap<>();
  private PacketFunctionContext context;
  private long lengthNs;

  /**
   * A folder with a jar that has nothing but this class and those within it.
   *
   * @param folder in which it is made
   */
  static Path jarIn(Path folder) throws IOException {
    Path jars = Files.createDirectories(folder.resolve("functions"));
    try (JarOutputStream jar =
        new JarOutputStream(Files.newOutputStream(jars.resolve("function.jar")))) {
      for (Class<?> type : List.of(CountedSeconds.class, Stretch.class, Counted.class)) {
        String name = type.getName().replace('.', '/') + ".class";
        jar.putNextEntry(new JarEntry(name));
        try (InputStream bytes = type.getClassLoader().getResourceAsStream(name)) {
          bytes.transferTo(jar);
        }
      }
    }
    return jars;
  }

  @Override
  public void open(PacketFunctionContext opened) {
    context = opened;
    lengthNs = Long.parseLong(opened.options().get("seconds")) * SECOND_NS;
  }

  @Override
  public void process(PacketBlock block) {
    for (int i = 0; i < block.count(); i++) {
      packets.merge(new Stretch(block.timeNs(i) / lengthNs, block.stream()), 1L, Long::sum);
    }
  }

  @Override
  public void advance(long earliestNs) {
    var over = packets.headMap(new Stretch(earliestNs / lengthNs, Long.MIN_VALUE));
    over.forEach(
        (stretch, count) ->
            context.emit(
                new Counted(
                    context.rule(),
                    (stretch.number() + 1) * lengthNs,
                    "%016x".formatted(stretch.stream()),
                    count)));
    over.clear();
  }

  @Override
  public byte[] snapshot() {
    ByteBuffer bytes = ByteBuffer.allocate(3 * Long.BYTES * packets.size());
    packets.forEach(
        (stretch, count) ->
            bytes.putLong(stretch.number()).putLong(stretch.stream()).putLong(count));
    return bytes.array();
  }

  @Override
  public void restore(List<byte[]> parts) {
    for (byte[] part : parts) {
      for (ByteBuffer bytes = ByteBuffer.wrap(part); bytes.hasRemaining(); ) {
        packets.merge(new Stretch(bytes.getLong(), bytes.getLong()), bytes.getLong(), Long::sum);
      }
    }
  }

  private record Counted(RuleTag rule, long timeNs, String stream, long packets) implements Result {
    @Override
    public String kind() {
      return KIND;
    }

    @Override
    public void describe(ResultFields fields) {
      fields.key("stream", stream);
      fields.number("packets", packets);
    }
  }
}

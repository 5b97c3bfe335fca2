// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

import static dev.flowstone.model.abi.PacketRecordLayout.SIZE_BYTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.offheap.ParserLibrary;
import dev.flowstone.offheap.ParserProfile;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.rules.AddressMatch;
import dev.flowstone.rules.ByteMatch;
import dev.flowstone.rules.Match;
import dev.flowstone.rules.PortMatch;
import dev.flowstone.rules.Rule;
import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.classify.Classifier;
import dev.flowstone.rules.classify.FirstMatch;
import dev.flowstone.rules.function.Pass;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Packets as they are on real networks, and rules made of what is in them. */
class ClassifierCapturesTest {
  private static final int MOST_PACKETS = 4096;
  private static final int RULES = 150;

  @Test
  void shouldFindTheFirstRuleOfThePacketsOfTheProjectsCaptures() throws IOException {
    assertThat(checkAll(Path.of("../traffic/captures"))).isPositive();
  }

  @Test
  void shouldFindTheFirstRuleOfThePacketsOfMoreCaptures() throws IOException {
    String named = System.getProperty("flowstone.captures");
    Path folder = named == null ? Path.of("../../shared/captures") : Path.of(named);
    assumeTrue(
        Files.isDirectory(folder),
        "no captures at " + folder + "; -Dflowstone.captures names some");
    assertThat(checkAll(folder)).isPositive();
  }

  /** How many packets there were. */
  private static long checkAll(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder);
        Arena arena = Arena.ofConfined()) {
      MemorySegment records = arena.allocate(MOST_PACKETS * SIZE_BYTES, SIZE_BYTES);
      return files
          .filter(file -> file.toString().matches(".*\\.(pcap|pcapng|erf)"))
          .sorted()
          .mapToLong(file -> check(file, records))
          .sum();
    }
  }

  private static int check(Path file, MemorySegment records) {
    int count = read(file, records);
    if (count == 0) {
      return 0;
    }
    RuleSet rules = rulesOf(records, count);
    FirstMatch model = FirstMatch.of(rules);
    short[] found = new short[count];
    Classifier.of(rules).classify(records, 0, count, found);
    for (int i = 0; i < count; i++) {
      assertThat((int) found[i])
          .as("%s, packet %d", file, i)
          .isEqualTo(model.classify(records, i * SIZE_BYTES));
      assertThat(rules.rules().get(found[i]).match().isImpossible())
          .as("%s, packet %d: %s", file, i, rules.rules().get(found[i]))
          .isFalse();
    }
    return count;
  }

  /** What cannot be read is another test's. */
  private static int read(Path file, MemorySegment records) {
    int count = 0;
    try (PacketSource source = new ReplaySource(ReplayOptions.once(file));
        RawPacketBatch batch = new RawPacketBatch(MOST_PACKETS / 4)) {
      while (source.fill(batch) != PacketSource.END && count + batch.count() <= MOST_PACKETS) {
        ParserLibrary.instance()
            .parse(
                batch.base(),
                batch.descriptors(),
                batch.count(),
                ParserProfile.SOFTWARE,
                records.asSlice(count * SIZE_BYTES));
        count += batch.count();
      }
    } catch (CaptureException | UncheckedIOException damaged) {
      // As far as it could be read.
    }
    return count;
  }

  private static RuleSet rulesOf(MemorySegment records, int count) {
    SplittableRandom random = new SplittableRandom(count);
    List<Rule> rules = new ArrayList<>();
    for (int i = 0; i < RULES; i++) {
      long record = random.nextInt(count) * SIZE_BYTES;
      rules.add(
          new Rule(
              "r" + i,
              random.nextInt(3),
              matchOf(FlowTuple.of(records, record), records, record, random),
              Pass.unchanged(),
              Optional.empty(),
              Optional.empty()));
    }
    return RuleSet.of(
        rules, RuleSet.defaultRule(Pass.unchanged(), Optional.empty(), Optional.empty()));
  }

  private static Match matchOf(
      FlowTuple tuple, MemorySegment records, long record, SplittableRandom random) {
    int most = tuple.ipv4() ? 32 : 128;
    boolean isLater = PacketRecord.isLaterFragment(PacketRecord.descriptor(records, record));
    return new Match(
        random.nextBoolean()
            ? Optional.of(
                AddressMatch.prefix(
                    tuple.ipv4(), tuple.sourceHigh(), tuple.sourceLow(), random.nextInt(most + 1)))
            : Optional.empty(),
        random.nextBoolean()
            ? Optional.of(
                AddressMatch.prefix(
                    tuple.ipv4(), tuple.destinationHigh(), tuple.destinationLow(), most))
            : Optional.empty(),
        Optional.empty(),
        random.nextBoolean()
            ? Optional.of(PortMatch.range(tuple.destinationPort(), tuple.destinationPort()))
            : Optional.empty(),
        Optional.of(ByteMatch.exactly(tuple.protocol())),
        random.nextInt(4) == 0
            ? Optional.of(ByteMatch.exactly(PacketRecord.tcpFlags(records, record)))
            : Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        random.nextInt(4) == 0 ? Optional.of(isLater) : Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.packets;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.rules.classify.FirstMatch;
import dev.flowstone.rules.function.Drop;
import dev.flowstone.rules.function.Sample;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** Says of each packet by itself what becomes of it, with arithmetic that cannot overflow. */
final class NaiveSampler {
  private static final long STEP = 0x9e37_79b9_7f4a_7c15L;
  private static final BigInteger DRAWS = BigInteger.ONE.shiftLeft(64);

  /** A packet that went on. */
  record Sent(long stream, long position, int weight, int rule) implements Comparable<Sent> {
    @Override
    public int compareTo(Sent other) {
      int byStream = Long.compare(stream, other.stream);
      return byStream == 0 ? Long.compare(position, other.position) : byStream;
    }
  }

  private final RulesInForce rules;
  private final FirstMatch match;
  private final Map<String, Long> counts = new HashMap<>();

  NaiveSampler(RulesInForce rules) {
    this.rules = rules;
    match = FirstMatch.of(rules.rules());
  }

  Set<Sent> sample(SentRing ring) {
    Set<Sent> sent = new TreeSet<>();
    PacketBlock all = ring.block(0, ring.count());
    for (int i = 0; i < all.count(); i++) {
      int rule = match.classify(all.segment(), all.offsetOf(i));
      int weight = weight(all, i, rule);
      if (weight > 0) {
        sent.add(new Sent(ring.stream(), i, weight, rule + 1));
      }
    }
    return sent;
  }

  private int weight(PacketBlock all, int packet, int rule) {
    return switch (rules.function(rule)) {
      case Drop _ -> 0;
      case Sample sample -> {
        int flags = PacketRecord.tcpFlags(all.segment(), all.offsetOf(packet));
        if (sample.keepSynFinRst() && (flags & 7) != 0) {
          yield 1;
        }
        yield isChosen(sample, all, packet, rule) ? sample.oneIn() : 0;
      }
      default -> 1;
    };
  }

  private boolean isChosen(Sample sample, PacketBlock all, int packet, int rule) {
    return switch (sample.by()) {
      case PACKETS -> {
        String counted = rules.id(rule) + " " + all.stream();
        long number = counts.merge(counted, 1L, Long::sum) - 1;
        yield number % sample.oneIn() == 0;
      }
      case RANDOM -> isDrawn(sample.seed(), all, packet, sample.oneIn());
      case FLOWS -> {
        long offset = all.offsetOf(packet);
        int kind = PacketRecord.kind(PacketRecord.descriptor(all.segment(), offset));
        if (!PacketRecord.isIp(kind)) {
          yield isDrawn(0, all, packet, sample.oneIn());
        }
        long draw =
            Integer.toUnsignedLong(WholeFlows.draw(PacketRecord.flowHash(all.segment(), offset)));
        yield draw < Math.round(4_294_967_296.0 / sample.oneIn());
      }
    };
  }

  private static boolean isDrawn(long seed, PacketBlock all, int packet, int oneIn) {
    long start = mix(mix(mix(seed + STEP) + all.stream()) + all.incarnation());
    long draw = mix(start + all.positionOf(packet) * STEP);
    BigInteger share =
        new BigInteger(Long.toUnsignedString(draw)).multiply(BigInteger.valueOf(oneIn));
    return share.compareTo(DRAWS) < 0;
  }

  /** What the JDK makes of this word. */
  private static long mix(long word) {
    return new SplittableRandom(word - STEP).nextLong();
  }
}

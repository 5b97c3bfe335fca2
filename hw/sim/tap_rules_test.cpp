// SPDX-License-Identifier: Apache-2.0
// The rules of ht_tap: which of them has a packet, and what is so while they are rewritten.
#include "tap_expected.hpp"

namespace flowstone::sim {
namespace {

using test::Mutator;
using test::odd_frames;
using test::Random;

struct Rule {
  fs_card_rule_key value;
  fs_card_rule_key mask;
  uint32_t traffic_class;
  bool drops;
  bool valid;
};

void write_rule(TapBench& tap, uint32_t number, const Rule& rule) {
  fs_card_rule words = {};
  words.value = rule.value;
  words.mask = rule.mask;
  words.verdict = rule.traffic_class | (rule.drops ? 1u : 0u) << FS_CARD_RULE_DROPS_SHIFT |
                  (rule.valid ? 1u : 0u) << FS_CARD_RULE_VALID_SHIFT;
  for (uint32_t word = 0; word < sizeof words / 4; word++) {
    uint32_t value;
    std::memcpy(&value, reinterpret_cast<const uint8_t*>(&words) + 4 * word, 4);
    tap.write(static_cast<uint32_t>(TAP(rules) + number * sizeof words + 4 * word), value);
  }
}

fs_card_rule_key key_of(const fs_packet_record& record) {
  fs_card_rule_key key = {};
  std::memcpy(key.source_address, record.source_address, 16);
  std::memcpy(key.destination_address, record.destination_address, 16);
  key.source_port = record.source_port;
  key.destination_port = record.destination_port;
  key.protocol = record.protocol;
  key.tcp_flags = record.tcp_flags;
  key.type_of_service = record.type_of_service;
  key.time_to_live = record.time_to_live;
  key.descriptor = record.descriptor;
  return key;
}

bool meets(const fs_packet_record& record, const Rule& rule) {
  const fs_card_rule_key key = key_of(record);
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(&key);
  const uint8_t* value = reinterpret_cast<const uint8_t*>(&rule.value);
  const uint8_t* mask = reinterpret_cast<const uint8_t*>(&rule.mask);
  for (size_t i = 0; i < sizeof key; i++) {
    if ((bytes[i] & mask[i]) != value[i]) return false;
  }
  return rule.valid;
}

/** Of a packet that there is, some bits: so that rules are met, and often several by one packet. */
Rule some_rule(Random& random, const fs_packet_record& record) {
  Rule rule = {};
  const fs_card_rule_key key = key_of(record);
  uint8_t* mask = reinterpret_cast<uint8_t*>(&rule.mask);
  for (uint32_t bits = 1 + random.below(6); bits > 0; bits--) {
    const uint32_t place = random.below(sizeof key);
    mask[place] = static_cast<uint8_t>(mask[place] | (random.below(2) == 0 ? 0xFF : 1u << random.below(8)));
  }
  rule.mask.descriptor &= ~(FS_PACKET_RECORD_TRAFFIC_CLASS_MASK << FS_PACKET_RECORD_TRAFFIC_CLASS_SHIFT |
                            FS_PACKET_RECORD_GENERATION_MASK << FS_PACKET_RECORD_GENERATION_SHIFT);
  for (size_t i = 0; i < sizeof key; i++) {
    reinterpret_cast<uint8_t*>(&rule.value)[i] = reinterpret_cast<const uint8_t*>(&key)[i] & mask[i];
  }
  rule.traffic_class = random.below(32);
  rule.drops = random.below(4) == 0;
  rule.valid = random.below(8) != 0;
  return rule;
}

const Rule* first_met(const std::vector<Rule>& rules, const fs_packet_record& record) {
  for (const Rule& rule : rules) {
    if (meets(record, rule)) return &rule;
  }
  return nullptr;
}

/** All of them anew, each of a packet that there is. */
std::vector<Rule> write_rules(Tap& tap, Random& random, const std::function<Frame()>& frame_of_a_rule) {
  std::vector<Rule> rules;
  for (uint32_t number = 0; number < FS_CARD_RULE_COUNT; number++) {
    const Frame frame = frame_of_a_rule();
    rules.push_back(some_rule(random, record_of_frame(frame.data(), static_cast<uint32_t>(frame.size()), 0)));
    write_rule(tap, number, rules.back());
  }
  return rules;
}

TEST(the_first_rule_that_is_met_has_the_packet) {
  Random random(seed);
  Mutator mutator(seed, odd_frames());
  Tap tap(random);
  uint64_t received = 0, filtered = 0, classified = 0;
  for (int round = 0; round < 20; round++) {
    tap.write(TAP(classifying), 0);
    const std::vector<Rule> rules = write_rules(tap, random, [&] { return some_frame(mutator, random); });
    const bool classifying = round % 5 != 4;
    tap.write(TAP(classifying), classifying ? 1 : 0);
    tap.idle(100);
    tap.sent.clear();
    std::vector<Expected> expected;
    for (int i = 0; i < 1'000; i++) {
      const std::vector<uint8_t> frame = some_frame(mutator, random);
      Expected one = expect(tap, frame.data(), static_cast<uint32_t>(frame.size()), 0);
      one.first_cycle = tap.send(frame.data(), static_cast<uint32_t>(frame.size()));
      received++;
      const Rule* met = classifying ? first_met(rules, one.record) : nullptr;
      if (met != nullptr) {
        one.record.descriptor |= met->traffic_class << FS_PACKET_RECORD_TRAFFIC_CLASS_SHIFT;
        classified++;
      }
      if (met != nullptr && met->drops) {
        filtered++;
      } else {
        expected.push_back(one);
      }
    }
    tap.idle(200);
    check_all(tap, expected);
  }
  CHECK(classified > received / 10);
  CHECK(filtered > received / 50);
  CHECK_EQUAL(received, tap.counter(TAP(received_packets)));
  CHECK_EQUAL(filtered, tap.counter(TAP(filtered_packets)));
  CHECK_EQUAL(received - filtered, tap.counter(TAP(sent_packets)));
}

// ---- Rules that are rewritten while frames come ----

/** Rules, and the cycles in which a frame may be looked at by them. */
struct Phase {
  std::vector<Rule> rules;
  uint64_t from_cycle;
  uint64_t until_cycle;
};

uint32_t traffic_class(const fs_packet_record& record) {
  return record.descriptor >> FS_PACKET_RECORD_TRAFFIC_CLASS_SHIFT & FS_PACKET_RECORD_TRAFFIC_CLASS_MASK;
}

/** Before, while and after the rules are rewritten, as a tap rewrites them. */
class Phases {
 public:
  explicit Phases(uint64_t cycle) : phases_{{{}, cycle, UINT64_MAX}} {}

  void begin(std::vector<Rule> rules, uint64_t from_cycle, uint64_t last_until_cycle) {
    phases_.back().until_cycle = last_until_cycle;
    phases_.push_back({std::move(rules), from_cycle, UINT64_MAX});
  }

  /** Null: dropped. True if there are rules, or none, that say so of such a frame at that time. */
  bool explain(const Expected& frame, const fs_packet_record* sent) const {
    for (const Phase& phase : phases_) {
      if (phase.from_cycle <= latest_look(frame) && phase.until_cycle >= frame.first_cycle && says(phase, frame, sent)) return true;
    }
    return false;
  }

  /** A frame that has no class because the rules were being rewritten, and would have had one by those before or after. */
  bool is_silenced(const Expected& frame) const {
    for (size_t i = 1; i + 1 < phases_.size(); i++) {
      if (!phases_[i].rules.empty() || phases_[i].from_cycle + kHeardCycles > frame.first_cycle ||
          phases_[i].until_cycle < latest_look(frame)) {
        continue;
      }
      return first_met(phases_[i - 1].rules, frame.record) != nullptr || first_met(phases_[i + 1].rules, frame.record) != nullptr;
    }
    return false;
  }

 private:
  /** Beats with pauses, and the parser before the rules. */
  static uint64_t latest_look(const Expected& frame) { return frame.first_cycle + 3 * (frame.bytes / kBeatBytes) + 100; }

  static bool says(const Phase& phase, const Expected& frame, const fs_packet_record* sent) {
    const Rule* met = first_met(phase.rules, frame.record);
    if (sent == nullptr) return met != nullptr && met->drops;
    return met == nullptr ? traffic_class(*sent) == 0 : !met->drops && met->traffic_class == traffic_class(*sent);
  }

  std::vector<Phase> phases_;
};

/** As a tap does it: the rules off, all of them written, the rules on. */
void rewrite_rules(Tap& tap, Random& random, const std::vector<Frame>& frames, Phases& phases) {
  uint64_t cycle = tap.cycle;
  tap.write(TAP(classifying), 0);
  phases.begin({}, cycle, tap.cycle + kHeardCycles);
  std::vector<Rule> rules =
      write_rules(tap, random, [&] { return frames[random.below(static_cast<uint32_t>(frames.size()))]; });
  cycle = tap.cycle;
  tap.write(TAP(classifying), 1);
  phases.begin(std::move(rules), cycle, tap.cycle + kHeardCycles);
}

struct Counts {
  uint64_t records = 0, filtered = 0, classified = 0, silenced = 0;
};

/** Each frame has its record, or was dropped, as the rules of its time have it. */
Counts check_verdicts(const Tap& tap, const std::vector<Expected>& begun, const Phases& phases, int64_t delay_ns) {
  Counts counts;
  for (Expected frame : begun) {
    if (test::failures() > 20) throw Hopeless{"too many failures"};
    const bool has_record = counts.records < tap.sent.size() && is_of(tap.sent[counts.records], frame, delay_ns);
    const Sent* sent = has_record ? &tap.sent[counts.records] : nullptr;
    CHECK(phases.explain(frame, sent == nullptr ? nullptr : &sent->record));
    counts.silenced += phases.is_silenced(frame) ? 1 : 0;
    if (sent == nullptr) {
      counts.filtered++;
      continue;
    }
    counts.records++;
    counts.classified += traffic_class(sent->record) != 0 ? 1 : 0;
    frame.record.descriptor |= traffic_class(sent->record) << FS_PACKET_RECORD_TRAFFIC_CLASS_SHIFT;
    CHECK(same(*sent, frame, delay_ns));
  }
  return counts;
}

TEST(rules_that_are_rewritten_under_traffic_hold_whole_or_not_at_all) {
  constexpr int kRewrites = 100;
  Random random(seed);
  Mutator mutator(seed, odd_frames());
  std::vector<Frame> frames;
  for (int i = 0; i < 200; i++) frames.push_back(some_frame(mutator, random));
  Tap tap(random);
  const int64_t delay_ns = delay_ns_of(tap);
  std::vector<Expected> begun;
  tap.pause(kPausePercent);
  tap.source = [&](Frame& frame) {
    frame = frames[random.below(static_cast<uint32_t>(frames.size()))];
    begun.push_back(expect(tap, frame.data(), static_cast<uint32_t>(frame.size()), 0));
    begun.back().first_cycle = tap.cycle;
    return true;
  };
  Phases phases(tap.cycle);
  for (int i = 0; i < kRewrites; i++) {
    rewrite_rules(tap, random, frames, phases);
    tap.idle(random.below(4'000));
  }
  tap.source = {};
  tap.idle(1'000);
  const Counts counts = check_verdicts(tap, begun, phases, delay_ns);
  std::printf("%zu frames while rules were rewritten %d times: %" PRIu64 " with a class, %" PRIu64 " dropped, %" PRIu64
              " with neither because rules were being written\n",
              begun.size(), kRewrites, counts.classified, counts.filtered, counts.silenced);
  CHECK_EQUAL(tap.sent.size(), counts.records);
  CHECK_EQUAL(counts.filtered, tap.counter(TAP(filtered_packets)));
  CHECK_EQUAL(counts.records + 1, tap.counter(TAP(sent_packets)));  // and the lone frame before
  CHECK(counts.classified > begun.size() / 20);
  CHECK(counts.filtered > begun.size() / 50);
  CHECK(counts.silenced > begun.size() / 20);
}

}  // namespace
}  // namespace flowstone::sim

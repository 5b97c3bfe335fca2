// SPDX-License-Identifier: Apache-2.0
// The way of the packets as nodes and edges, as the state has them. What a node says of its count stands in `subs`, the longest
// words first: a picture takes those that it has room for.

import { number, percent } from "./words.js";

/** Left out because somebody asked for it. */
export const MEANT = new Set(["left out of the sample", "by rules that drop"]);

const sum = (counts) =>
  counts.reduce(
    (all, each) => ({
      count: all.count + each.count,
      per_second: all.per_second === null || each.per_second === null ? null : all.per_second + each.per_second,
    }),
    { count: 0, per_second: 0 },
  );

/** Of all these stages together, by reason. */
function drops(stages) {
  const byReason = new Map();
  for (const { reason, packets } of stages.flatMap((stage) => stage.left_out)) {
    byReason.set(reason, [...(byReason.get(reason) ?? []), packets]);
  }
  return [...byReason].map(([reason, counts]) => ({ reason, ...sum(counts) }));
}

const drop = (reason, counts) => (counts.count > 0 ? [{ reason, ...counts }] : []);

const isHistogram = (stage) => /histogram/i.test(stage.title);

/** Which function of rules a stage is, by the name that a rules file has for it. */
function functionOf(stage) {
  return { CHOICE: "pass", FLOWS: isHistogram(stage) ? "histogram" : "aggregate", PANES: "anomaly", USER: "user" }[stage.kind];
}

/** In the order in which they stand: where packets of the first go stands first, too. */
const MADE = { pass: ["sent on"], aggregate: ["records"], histogram: ["partial sums"], anomaly: ["alerts, windows"], user: ["results"] };

const MISSING = ["packets are missing here", "packets missing", "missing"];

export function graphOf(state) {
  const graph = { nodes: [], edges: [] };
  const rings = state.rings.value?.rings ?? [];
  const stages = state.flink.value?.stages ?? [];
  const of = (kind) => stages.filter((stage) => stage.kind === kind);
  const source = of("SOURCE");
  if (rings.length > 0) {
    addRings(graph, rings, state.rings.value);
  } else if (source.length > 0) {
    graph.nodes.push({ id: "rings", column: 1, title: "Rings", count: null, subs: ["none seen from here", "none seen"], state: "good" });
  }
  let before = graph.nodes.length > 0 ? "rings" : null;
  if (source.length > 0) {
    graph.nodes.push(node("source", 2, "Source", sum(source.map((each) => each.out)), ["packets sent on", "sent on"], source));
    before = link(graph, before, "source", sum(source.map((each) => each.in)), drops(source));
  }
  const rules = of("RULES");
  if (rules.length > 0) {
    const version = state.flink.value.rules.version;
    graph.nodes.push(node("rules", 3, "Rules", sum(rules.map((each) => each.in)), [version > 0 ? `version ${number(version)}` : "in force"], rules));
    before = link(graph, before, "rules", sum(rules.map((each) => each.in)), []);
  }
  const makers = addFunctions(graph, stages, before);
  addDropped(graph, rules, before);
  addSinks(graph, of, makers, before);
  return graph;
}

function addRings(graph, rings, view) {
  const taps = [...new Set(rings.map((ring) => ring.tap))];
  const offered = sum(rings.map((ring) => ring.offered));
  const held = Math.max(...rings.map((ring) => ring.held / ring.slots));
  const silent = rings.flatMap((ring) => ring.readers).filter((reader) => reader.holds_space && reader.state === "silent");
  graph.nodes.push({ id: "tap", column: 0, title: "Tap", count: offered, subs: rings.every((ring) => ring.is_ended) ? ["has ended"] : [taps.join(", "), "at work"], state: "good" });
  graph.nodes.push({
    id: "rings", column: 1, title: rings.length === 1 ? "Ring" : `${number(rings.length)} rings`, count: sum(rings.map((ring) => ring.written)),
    subs: view.problems.length > 0 ? ["not all can be read", "unreadable"] : silent.length > 0 ? ["a reader is silent", "silent reader"] : [`${percent(held)} held by readers`, `${percent(held)} held`], share: held,
    state: view.problems.length > 0 ? "bad" : silent.length > 0 || held > 0.9 ? "warn" : "good",
  });
  const lost = [...drop("dropped since a ring is full", sum(rings.map((ring) => ring.dropped))), ...drop("lost before the tap", sum(rings.map((ring) => ring.lost_before_tap)))];
  graph.edges.push({ id: "tap-rings", from: "tap", to: "rings", count: offered, drops: lost, what: "packets offered to the rings" });
}

function node(id, column, title, count, subs, stages) {
  const isBalanced = stages.every((stage) => stage.is_balanced);
  return { id, column, title, count, subs: isBalanced ? subs : MISSING, state: isBalanced ? "good" : "bad" };
}

function link(graph, from, to, count, left) {
  if (from !== null) {
    graph.edges.push({ id: `${from}-${to}`, from, to, count, drops: left, what: "packets" });
  }
  return to;
}

/** Which of them make results. */
function addFunctions(graph, stages, before) {
  const makers = [];
  const kinds = Object.keys(MADE);
  const functions = stages.map((stage) => ({ stage, kind: functionOf(stage) })).filter((each) => each.kind && before !== null);
  functions.sort((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind));
  for (const { stage, kind } of functions) {
    const alerts = kind === "anomaly" ? stages.filter((each) => each.kind === "ALERTS") : [];
    const made = alerts.length > 0 ? sum(alerts.map((each) => each.made)) : stage.made;
    graph.nodes.push({ ...node(stage.id, 4, stage.title, made ?? stage.out, MADE[kind], [stage]), kind });
    graph.edges.push({ id: `rules-${kind}`, from: before, to: stage.id, count: stage.in, drops: drops([stage, ...alerts]), kind, what: "packets" });
    if (made) {
      makers.push({ id: stage.id, kind, made });
    }
  }
  return makers;
}

function addDropped(graph, rules, before) {
  const dropped = rules.flatMap((stage) => stage.left_out);
  if (dropped.length > 0) {
    const count = sum(dropped.map((each) => each.packets));
    graph.nodes.push({ id: "dropped", column: 4, title: "Dropped", count, subs: ["as rules say"], kind: "drop", state: "good" });
    graph.edges.push({ id: "rules-drop", from: before, to: "dropped", count, drops: [], kind: "drop", what: "packets of rules that drop" });
  }
}

function addSinks(graph, of, makers, before) {
  const packing = of("PACKING");
  const choice = of("CHOICE");
  if (packing.length > 0) {
    // Where nothing is chosen they stand where functions do.
    graph.nodes.push(node("kafka-packets", choice.length > 0 ? 5 : 4, "Kafka: packets", sum(packing.map((each) => each.out)), ["in messages"], packing));
    const from = choice.length > 0 ? choice[0].id : before;
    // Before anything is known of its source and rules nothing leads to the choice.
    if (graph.nodes.some((each) => each.id === from)) {
      graph.edges.push({ id: "packets-kafka", from, to: "kafka-packets", count: sum(packing.map((each) => each.in)), drops: [], kind: "pass", bus: choice.length > 0 ? "beside" : undefined, what: "packets" });
    }
  }
  if (makers.length === 0) {
    return;
  }
  const sinks = [];
  const sent = of("RESULTS");
  if (sent.length > 0) {
    const count = sum(sent.map((each) => each.in));
    sinks.push({ id: "kafka-results", title: "Kafka: results", given: count, count, left: [], subs: ["in messages"] });
  }
  const written = of("QUESTDB");
  if (written.length > 0) {
    sinks.push({ id: "questdb", title: "QuestDB", given: sum(written.map((each) => each.in)), count: sum(written.map((each) => each.out)), left: drops(written), subs: ["rows written"] });
  }
  const ids = sinks.map((each) => each.id);
  const makerIds = makers.map((each) => each.id);
  for (const sink of sinks) {
    graph.nodes.push({ id: sink.id, column: 5, title: sink.title, count: sink.count, subs: sink.subs, state: sink.left.length > 0 ? "warn" : "good" });
    graph.edges.push({ id: `results-${sink.id}`, from: makerIds[0], to: sink.id, count: sink.given, drops: sink.left, bus: "out", sinks: ids, makers: makerIds, what: "results, reports of stages among them" });
  }
  for (const maker of ids.length > 0 ? makers : []) {
    graph.edges.push({ id: `${maker.kind}-results`, from: maker.id, to: ids[0], count: maker.made, drops: [], kind: maker.kind, bus: "in", sinks: ids, makers: makerIds, what: MADE[maker.kind][0] });
  }
}

/** Packets that nobody asked to leave out. What a ring drops its reader counts as well. */
export function lostIn(graph) {
  const of = (edge) => edge.drops.filter((each) => !MEANT.has(each.reason)).reduce((all, each) => all + each.count, 0);
  const byRings = graph.edges.filter((edge) => edge.to === "rings" || edge.to === "source");
  const others = graph.edges.filter((edge) => !byRings.includes(edge));
  return Math.max(0, ...byRings.map(of)) + others.map(of).reduce((all, each) => all + each, 0);
}

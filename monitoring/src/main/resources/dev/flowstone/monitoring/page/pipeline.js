// SPDX-License-Identifier: Apache-2.0
// The way of the packets as a picture, drawn once and then kept up to date.

import { MEANT, graphOf } from "./graph.js";
import { LINE, layout } from "./layout.js";
import { mark, number, rate, rounded, say, svg } from "./words.js";

/** What a picture has room for; the whole reason is told to whoever points at it. */
const SHORT = {
  "dropped since a ring is full": "ring full",
  "left out of the sample": "not sampled",
  "no room for the flow": "no room",
  "no room for the flow under a rule": "no room by rule",
  "failed in a function": "failed",
  "lost before the tap": "before the tap",
  "no room to watch": "no room",
};

/** Room that every label has, so that nothing moves as numbers grow to that; and a node, so that it can say that packets are missing. */
const LEAST = { rate: "000,000/s", total: "000,000,000", drop: "−000,000", nodePx: 80 };

/** Between a node's frame and its words. */
const PADDING = { left: 11, right: 6 };
const BETWEEN_WORDS = 6;

/** Where words are that were fitted, and which they were. */
const fitted = new WeakMap();

/** The first of them that there is room for; of the last one as much as there is room for. */
function fit(element, alternatives, room) {
  const key = `${alternatives.join("\n")}\n${room}`;
  if (fitted.get(element) === key) {
    return;
  }
  fitted.set(element, key);
  const doesFit = (words) => {
    say(element, words);
    return element.getComputedTextLength() <= room;
  };
  let words = alternatives.find(doesFit) ?? alternatives.at(-1);
  while (!doesFit(words) && words.length > 1) {
    words = `${words.slice(0, -2).trimEnd()}…`;
  }
}

const wordsOf = (drop) => [`−${number(drop.count)}`, SHORT[drop.reason] ?? drop.reason];

const thickness = (perSecond) => (perSecond > 0 ? Math.min(7, 1.2 + 0.9 * Math.log10(perSecond)) : 1.2);

export class Pipeline {
  constructor(parent) {
    this.parent = parent;
    this.drawn = "";
    /** By edge, what its label has had to have room for so far. */
    this.longest = new Map();
    new ResizeObserver(() => this.draw()).observe(parent);
  }

  show(state) {
    this.graph = graphOf(state);
    this.hasEnded = state.flink.value?.has_ended ?? false;
    this.draw();
  }

  draw() {
    const width = Math.floor(this.parent.clientWidth);
    if (!this.graph || width === 0) {
      return;
    }
    if (this.graph.nodes.length === 0) {
      this.drawn = "";
      say(this.parent, this.hasEnded ? "There is nothing to draw: the job has ended, and nobody has seen what its stages counted." : "There is nothing to draw yet: no ring and no stage of a job has told of packets.");
      return;
    }
    const form = JSON.stringify([width, this.graph.nodes.map((each) => [each.id, each.title]), this.graph.edges.map((edge) => [edge.id, this.room(edge)])]);
    if (form !== this.drawn) {
      this.build(width);
      this.drawn = form;
    }
    this.graph.edges.forEach((edge) => this.update(edge));
    this.graph.nodes.forEach((each) => this.updateNode(each));
  }

  /** Words as long as an edge's have ever been: a picture that made room for them keeps it. */
  room(edge) {
    const now = [rate(edge.count.per_second), number(edge.count.count), ...edge.drops.flatMap(wordsOf)];
    const least = [LEAST.rate, LEAST.total, ...edge.drops.flatMap(() => [LEAST.drop, ""])];
    const before = this.longest.get(edge.id) ?? [];
    const longest = now.map((words, i) => [words.replace(/\d/g, "0"), least[i], before[i] ?? ""].reduce((one, other) => (other.length > one.length ? other : one)));
    this.longest.set(edge.id, longest);
    return longest;
  }

  build(width) {
    this.nodes = new Map(this.graph.nodes.map((each) => [each.id, this.node(each)]));
    this.edges = new Map(this.graph.edges.map((edge) => [edge.id, this.edge(edge)]));
    const nodes = [...this.nodes.values()];
    const edges = [...this.edges.values()];
    const picture = svg("svg", { role: "group", "aria-label": "The way of the packets, with rates and drops" }, ...edges.map((each) => each.path), ...nodes.map((each) => each.group), ...edges.map((each) => each.group));
    this.parent.replaceChildren(picture);
    const plan = layout({ nodes: this.graph.nodes.map((each) => this.measured(each)), edges: this.graph.edges.map((edge) => this.measuredEdge(edge)) }, width);
    mark(picture, { width: plan.width, height: plan.height, viewBox: `0 0 ${plan.width} ${plan.height}`, "data-layout": plan.kind });
    this.edges.forEach((kept, id) => place(kept, plan.edges[id]));
    this.nodes.forEach((kept, id) => placeNode(kept, plan.nodes[id]));
  }

  edge(edge) {
    const words = (name) => svg("tspan", { class: name });
    const title = svg("title");
    const kept = { title, path: svg("path", { class: "edge", "data-kind": edge.kind }), rate: words("rate"), total: words("total") };
    kept.drops = edge.drops.map(() => {
      const [count, why] = [svg("tspan"), svg("tspan")];
      return { count, why, all: svg("tspan", { class: "drop" }, count, why) };
    });
    kept.text = svg("text", {}, kept.rate, kept.total, ...kept.drops.map((each) => each.all));
    kept.group = svg("g", { "data-edge": edge.id }, title, kept.text);
    return kept;
  }

  node(each) {
    const text = (name) => svg("text", { class: name });
    const kept = { words: svg("title"), shape: svg("rect", { class: "box", rx: 8 }), title: text("title"), count: text("count"), sub: text("sub") };
    kept.stripe = each.kind ? svg("rect", { class: "stripe", "data-kind": each.kind, width: 4, rx: 2 }) : null;
    kept.bar = each.share === undefined ? null : { room: svg("rect", { class: "room", height: 3, rx: 1.5 }), fill: svg("rect", { class: "fill", height: 3, rx: 1.5 }) };
    kept.group = svg("g", { "data-node": each.id }, ...[kept.words, kept.shape, kept.stripe, kept.title, kept.count, kept.sub, kept.bar?.room, kept.bar?.fill].filter((part) => part));
    return kept;
  }

  /** With the width that its title and the shortest of its words need; in line: these behind a rounded number. */
  measured(each) {
    const { title, sub } = this.nodes.get(each.id);
    const widthOf = (element, words) => {
      say(element, words);
      return element.getComputedTextLength();
    };
    const words = each.subs.at(-1).replace(/\d/g, "0");
    const width = (sub) => Math.max(LEAST.nodePx, Math.ceil(Math.max(widthOf(title, each.title), sub)) + PADDING.left + PADDING.right);
    return { ...each, least: width(widthOf(sub, words)), leastInLine: width(widthOf(sub, each.count ? `00.0M ${words}` : words)) };
  }

  measuredEdge(edge) {
    const { rate, total, drops } = this.edges.get(edge.id);
    const parts = [rate, total, ...drops.flatMap((each) => [each.count, each.why])];
    this.longest.get(edge.id).forEach((words, i) => say(parts[i], words));
    return { ...edge, stack: Math.ceil(Math.max(...parts.map((each) => each.getComputedTextLength()))), lines: parts.length };
  }

  update(edge) {
    const kept = this.edges.get(edge.id);
    const { count, per_second: perSecond } = edge.count;
    say(kept.rate, rate(perSecond));
    say(kept.total, number(count));
    say(kept.title, `${number(count)} ${edge.what}${edge.drops.map((each) => `; ${number(each.count)} ${each.reason}, ${rate(each.per_second)}`).join("")}`);
    edge.drops.forEach((each, i) => {
      const { count: words, why, all } = kept.drops[i];
      wordsOf(each).forEach((said, part) => say([words, why][part], said));
      mark(all, { "data-reason": each.reason, "data-count": each.count, "data-rate": each.per_second, "data-meant": MEANT.has(each.reason) });
    });
    mark(kept.group, { "data-count": count, "data-rate": perSecond });
    mark(kept.path, { "stroke-width": thickness(perSecond).toFixed(1), "data-loss": edge.drops.some((each) => each.per_second > 0 && !MEANT.has(each.reason)), "data-idle": !(perSecond > 0) });
  }

  updateNode(each) {
    const kept = this.nodes.get(each.id);
    const { subs } = each;
    const counts = each.count ? [number(each.count.count), rounded(each.count.count)] : [""];
    // Before anything is fitted: what is wrong is written bold.
    mark(kept.group, { "data-state": each.state, "data-count": each.count?.count });
    fit(kept.title, [each.title], kept.room);
    fit(kept.count, kept.isTall ? counts : [""], kept.room);
    // And it stands there alone.
    fit(kept.sub, kept.isTall || each.state === "bad" ? subs : subs.flatMap((words) => counts.map((count) => `${count} ${words}`.trim())), kept.room);
    say(kept.words, `${each.title}: ${counts[0]} ${subs[0]}`);
    if (kept.bar) {
      mark(kept.bar.fill, { width: (Math.min(1, each.share) * kept.room).toFixed(1) });
    }
  }
}

function place({ path, text, rate, total, drops }, plan) {
  const { x, y, skip, anchor, isInLine } = plan.label;
  const pairs = [[rate, total], ...drops.map((each) => [each.count, each.why])];
  const lines = isInLine ? pairs : pairs.flat().map((part) => [part]);
  lines.forEach(([first, ...others], i) => {
    mark(first, { x, y: i === 0 ? y : y + skip + (i - 1) * LINE });
    others.forEach((part) => mark(part, { dx: BETWEEN_WORDS }));
  });
  mark(text, { "text-anchor": anchor });
  mark(path, { d: plan.path });
}

function placeNode(kept, { x, y, width, height }) {
  kept.isTall = height > 50;
  kept.room = width - PADDING.left - PADDING.right;
  mark(kept.shape, { x, y, width, height });
  mark(kept.title, { x: x + PADDING.left, y: y + (kept.isTall ? 21 : 18) });
  mark(kept.count, { x: x + PADDING.left, y: y + 40 });
  mark(kept.sub, { x: x + PADDING.left, y: y + height - (kept.isTall ? 13 : 10) });
  if (kept.stripe) {
    mark(kept.stripe, { x, y: y + 8, height: height - 16 });
  }
  if (kept.bar) {
    mark(kept.bar.room, { x: x + PADDING.left, y: y + height - 7, width: kept.room });
    mark(kept.bar.fill, { x: x + PADDING.left, y: y + height - 7 });
  }
}

// SPDX-License-Identifier: Apache-2.0
// Where nodes and edges of the pipeline stand: the first of three ways in which there is room for all that is written there.
//
// What is written was measured before. A node has `least`, the width that its words need, and `leastInLine`, that with its count before
// them. An edge has `stack`, the width of its words one below the other, and how many `lines` these are: its rate, its total, and a
// count and a reason of each drop.
// A layout gives { kind, width, height, nodes: id -> box, edges: id -> { path, label } }. A label has its first line at the baseline y,
// its second one `skip` further down, the others each a LINE; with `isInLine` a rate and its total, and a count and its reason, share a line.
// Labels stand above, below or beside edges, never on one.

/** From one line of a label to the next. */
export const LINE = 13;
const ASCENT = 12;
const DESCENT = 4;
const AIR = 8;

/** What an edge that runs through between rate and total leaves to both. */
const ASTRIDE = { above: 8, below: 17 };

export function layout(graph, width) {
  return wide(graph, width) ?? medium(graph, width) ?? narrow(graph, width);
}

const right = (box) => [box.x + box.width, box.y + box.height / 2];
const left = (box) => [box.x, box.y + box.height / 2];

const total = (numbers) => numbers.reduce((all, each) => all + each, 0);
const most = (numbers) => Math.max(0, ...numbers);

const columnOf = (graph, column) => graph.nodes.filter((node) => node.column === column);

/** Those with their words at that node: where they lead to, but for results, whose ways meet. */
const labelsAt = (graph, node) => graph.edges.filter((edge) => (edge.bus === "in" ? edge.from : edge.to) === node.id);

const placed = (graph, nodes, of) => Object.fromEntries(graph.edges.map((edge) => [edge.id, of(edge, nodes[edge.from], nodes[edge.to])]));

const astride = (x, y, anchor) => ({ x, y: y - ASTRIDE.above, skip: ASTRIDE.above + ASTRIDE.below, anchor });

/** From the edge down. */
const depth = (edge) => ASTRIDE.below + LINE * (edge.lines - 2) + DESCENT;

// From left to right; functions and where results go stand above each other.

const FAN = 44;
const MEETING = 20;
const BETWEEN_ROWS = 14;
const MOST_SPARE = 40;
const MOST_FAN = 90;

function wide(graph, width) {
  const columns = [0, 1, 2, 3, 4, 5].map((column) => columnOf(graph, column)).filter((there) => there.length > 0);
  const gaps = columns.slice(1).map((there) => gapBefore(graph, there));
  const onTheWay = most(graph.nodes.filter((node) => node.column < 4).map((node) => node.least));
  const leasts = columns.map((there) => (there[0].column < 4 ? onTheWay : most(there.map((node) => node.leastInLine))));
  // Nodes get twice as much of it as what is between them.
  const spare = Math.min(MOST_SPARE, (width - 2 - total(gaps) - total(leasts)) / (gaps.length + 2 * leasts.length));
  if (spare < 0) {
    return null;
  }
  const rows = columns.map((there) => there.map((node) => wideRow(graph, node)));
  const height = Math.ceil(most(rows.map(heightOf))) + 2;
  const beside = graph.edges.find((edge) => edge.bus === "beside");
  const nodes = {};
  let x = 1;
  columns.forEach((there, i) => {
    const first = there[0].id === beside?.to ? right(nodes[beside.from])[1] : null;
    const middles = first === null ? middlesOf(rows[i], height, beside !== undefined) : middlesBeside(rows[i], height, first);
    there.forEach((node, row) => {
      nodes[node.id] = { x, y: middles[row] - rows[i][row].height / 2, width: leasts[i] + 2 * spare, height: rows[i][row].height };
    });
    x += leasts[i] + 2 * spare + (gaps[i] ?? 0) + spare;
  });
  return { kind: "wide", width, height, nodes, edges: placed(graph, nodes, (edge, from, to) => wideEdge(graph, nodes, edge, from, to)) };
}

function gapBefore(graph, there) {
  const into = graph.edges.filter((edge) => there.some((node) => node.id === edge.to));
  const words = most(into.map((edge) => edge.stack)) + 2 * AIR;
  return into.some((edge) => edge.bus === "in") ? 2 * words + MEETING : there.length > 1 ? words + FAN : words;
}

function wideRow(graph, node) {
  const height = node.column < 4 ? 72 : 44;
  return { height, up: Math.max(height / 2, ASTRIDE.above + ASCENT), down: Math.max(height / 2, ...labelsAt(graph, node).map(depth)) };
}

/** One alone stands in the middle. */
const heightOf = (rows) => (rows.length === 1 ? 2 * Math.max(rows[0].up, rows[0].down) : total(rows.map((row) => row.up + row.down)) + BETWEEN_ROWS * (rows.length - 1));

function middlesOf(rows, height, isFromTop) {
  if (rows.length === 1) {
    return [height / 2];
  }
  let y = isFromTop ? 1 : (height - heightOf(rows)) / 2;
  return rows.map((row) => {
    const middle = y + row.up;
    y = middle + row.down + BETWEEN_ROWS;
    return middle;
  });
}

/** The first goes straight on; the others share what is below it. */
function middlesBeside(rows, height, first) {
  const others = rows.slice(1);
  const space = (height - first - rows[0].down - total(others.map((row) => row.up + row.down))) / rows.length;
  let y = first + rows[0].down;
  return [
    first,
    ...others.map((row) => {
      const middle = y + space + row.up;
      y = middle + row.down;
      return middle;
    }),
  ];
}

function wideEdge(graph, nodes, edge, from, to) {
  const [x0, y0] = right(from);
  const [x1, y1] = left(to);
  if (edge.bus === "in" || edge.bus === "out") {
    const bus = (x0 + x1) / 2;
    const middle = middleOf(edge.sinks.map((id) => left(nodes[id])[1]));
    return edge.bus === "in"
      ? { path: `M${x0} ${y0}H${bus - 10}Q${bus} ${y0} ${bus} ${y0 + (middle > y0 ? 10 : -10)}V${middle}`, label: astride(x0 + AIR, y0, "start") }
      : { path: `${wideBend(bus, middle, y1)}H${x1}`, label: astride(x1 - AIR, y1, "end") };
  }
  if (Math.abs(y0 - y1) < 1) {
    return { path: `M${x0} ${y0}H${x1}`, label: astride((x0 + x1) / 2, y0, "middle") };
  }
  // The last part is straight, and as long as what is written there.
  const words = most(graph.edges.filter((other) => other.from === edge.from).map((other) => other.stack)) + 2 * AIR;
  const fan = Math.min(MOST_FAN, x1 - x0 - words);
  return { path: `M${x0} ${y0}C${x0 + fan / 2} ${y0} ${x0 + fan / 2} ${y1} ${x0 + fan} ${y1}H${x1}`, label: astride(x1 - AIR, y1, "end") };
}

const wideBend = (bus, from, y) => (Math.abs(from - y) < 12 ? `M${bus} ${from}L${bus + 10} ${y}` : `M${bus} ${from}V${y + (from > y ? 10 : -10)}Q${bus} ${y} ${bus + 10} ${y}`);

const middleOf = (places) => total(places) / places.length;

// Three rows: the way to the rules, the functions, where all goes. Edges come down at the left of a node, with their words beside them.

const HEIGHT = 72;
/** How far from a node's left an edge reaches it from above, and how far from the edge its words are. */
const RUN = 8;
const BESIDE = 8;
const BETWEEN_NODES = 10;
const FIRST_LINE = 6 + ASCENT;
const LEVEL = 14;
const LEVEL_OF_RESULTS = FIRST_LINE + LINE + DESCENT + 7;

const top = (box) => [box.x + RUN, box.y];
const bottom = (box) => [box.x + RUN, box.y + box.height];

function medium(graph, width) {
  const rows = [[0, 1, 2, 3], [4], [5]].map((columns) => columns.flatMap((column) => columnOf(graph, column))).filter((row) => row.length > 0);
  const places = rows.map((row, i) => mediumPlaces(graph, row, width, i === 0));
  if (places.includes(null)) {
    return null;
  }
  const nodes = {};
  let y = 1;
  rows.forEach((row, i) => {
    const [level, between] = i === 0 ? [0, 0] : mediumGap(graph, row);
    row.forEach((node, place) => {
      nodes[node.id] = { ...places[i][place], y: y + between, height: HEIGHT, level: y + level };
    });
    const words = graph.edges.filter((edge) => i === 0 && row.some((node) => node.id === edge.to));
    y += between + Math.max(HEIGHT, ...words.map((edge) => HEIGHT / 2 + depth(edge)));
  });
  return { kind: "medium", width, height: y + 1, nodes, edges: placed(graph, nodes, (edge, from, to) => mediumEdge(nodes, edge, from, to)) };
}

/** Null: there is too little room. */
function mediumPlaces(graph, row, width, isFirst) {
  const labels = row.map((node) => graph.edges.filter((edge) => labelsAt(graph, node).includes(edge) || (edge.bus === "beside" && edge.from === node.id)).map((edge) => edge.stack));
  const gap = isFirst ? most(labels.flat()) + 2 * AIR : BETWEEN_NODES;
  const leasts = row.map((node, i) => (isFirst ? node.least : Math.max(node.least, most(labels[i]) + RUN + BESIDE)));
  const room = width - 2 - gap * (row.length - 1);
  if (total(leasts) > room) {
    return null;
  }
  const equal = Math.min(isFirst ? 170 : 210, room / row.length);
  const widths = leasts.map((least) => (most(leasts) <= equal ? equal : least + (room - total(leasts)) / row.length));
  const space = row.length === 1 ? 0 : (width - 2 - total(widths)) / (row.length - 1);
  return widths.map((each, i) => ({ x: 1 + total(widths.slice(0, i)) + i * space, width: each }));
}

/** How far below the row before edges run to and fro, and how far that row is. */
function mediumGap(graph, row) {
  const into = graph.edges.filter((edge) => row.some((node) => node.id === edge.to));
  const level = into.some((edge) => edge.bus === "in") ? LEVEL_OF_RESULTS : LEVEL;
  const lines = most(into.filter((edge) => edge.bus !== "in").map((edge) => edge.lines));
  return [level, level + FIRST_LINE + LINE * (lines - 1) + DESCENT + 6];
}

function mediumEdge(nodes, edge, from, to) {
  const beside = (x, y) => ({ x: x + BESIDE, y: y + FIRST_LINE, skip: LINE, anchor: "start" });
  if (from.y === to.y) {
    const [x0, y0] = right(from);
    const [x1] = left(to);
    return { path: `M${x0} ${y0}H${x1}`, label: astride((x0 + x1) / 2, y0, "middle") };
  }
  const [x0, y0] = bottom(from);
  const [x1, y1] = top(to);
  switch (edge.bus) {
    case "in":
      return { path: `M${x0} ${y0}V${to.level}H${middleOf(edge.sinks.map((id) => top(nodes[id])[0]))}`, label: beside(x0, y0) };
    case "out":
      return { path: `M${middleOf(edge.sinks.map((id) => top(nodes[id])[0]))} ${to.level}H${x1}V${y1}`, label: beside(x1, to.level) };
    case "beside":
      return { path: `M${x0} ${y0}V${y1}`, label: beside(x0, y0) };
    default:
      return { path: `M${from.x + from.width / 2} ${y0}V${to.level}H${x1}V${y1}`, label: beside(x1, to.level) };
  }
}

// From top to bottom, one node above the other. Behind the rules packets come along a rail at the left, and what is made goes along
// one at the right; outside that the packets do, so their place is the last.

const INDENT = 30;
const RAIL = 10;
const RAILS = { results: 14, packets: 28, all: 36 };
const ACROSS = 24;

function narrow(graph, width) {
  const nodes = {};
  const isRight = (edge) => edge.bus === "in" || edge.bus === "beside";
  const isLast = (node) => graph.edges.some((edge) => edge.bus === "beside" && edge.to === node.id);
  let y = 1;
  for (const node of [...graph.nodes].sort((one, other) => isLast(one) - isLast(other))) {
    const above = graph.edges.filter((edge) => edge.to === node.id && !isRight(edge));
    const below = graph.edges.filter((edge) => edge.from === node.id && isRight(edge));
    const words = most(above.map((edge) => LINE * (edge.lines / 2 - 1) + FIRST_LINE + DESCENT + 4));
    const box = node.column < 4 ? { x: 1, width: width - 2, height: HEIGHT } : { x: 1 + INDENT, width: width - 2 - INDENT - RAILS.all, height: 48 };
    nodes[node.id] = { ...box, y: y + words, words: y };
    y += words + box.height + (below.length > 0 ? FIRST_LINE + DESCENT : AIR);
  }
  return { kind: "narrow", width, height: y - 4, nodes, edges: placed(graph, nodes, (edge, from, to) => narrowEdge(nodes, edge, from, to)) };
}

function narrowEdge(nodes, edge, from, to) {
  const words = (x, y, anchor) => ({ x, y: y + FIRST_LINE, skip: LINE, anchor, isInLine: true });
  const [x0, y0] = right(from);
  const [x1, y1] = right(to);
  switch (edge.bus) {
    case "in":
      return { path: `M${x0} ${y0}H${x0 + RAILS.results}V${y1}`, label: words(x0 - 4, from.y + from.height, "end") };
    case "out":
      return { path: `M${x1 + RAILS.results} ${right(nodes[edge.sinks[0]])[1]}V${y1}H${x1}`, label: words(x1 - 4, to.words, "end") };
    case "beside":
      return { path: `M${x0} ${y0}H${x0 + RAILS.packets}V${y1}H${x1}`, label: words(x0 - 4, from.y + from.height, "end") };
    default:
      return to.x > from.x
        ? { path: `M${RAIL} ${from.y + from.height}V${y1}H${to.x}`, label: words(to.x + 4, to.words, "start") }
        : { path: `M${to.x + ACROSS} ${from.y + from.height}V${to.y}`, label: words(to.x + ACROSS + 12, to.words, "start") };
  }
}

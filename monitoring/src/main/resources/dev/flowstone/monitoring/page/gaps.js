// SPDX-License-Identifier: Apache-2.0
// Inter-arrival times of a rule as a heat map: time from left to right, their length upwards on a logarithmic scale.

import { clock, gap, html, list, number, percent, say } from "./words.js";

const SPANS_S = [60, 120, 300];
const SHADES = 64;
const MARGIN = { left: 52, right: 8, top: 6, bottom: 20 };
const HEIGHT = 236;

const element = (id) => document.getElementById(id);
const dark = matchMedia("(prefers-color-scheme: dark)");

/** Equal steps of lightness, which is what people see; many is what stands out from the page. */
function shades(isDark) {
  return Array.from({ length: SHADES }, (_, i) => {
    const t = i / (SHADES - 1);
    const lightness = isDark ? 0.28 + 0.66 * t : 0.93 - 0.63 * t;
    const chroma = 0.045 + 0.13 * Math.sin(Math.PI * (0.25 + 0.55 * t));
    const hue = isDark ? 295 - 195 * t : 100 + 195 * t;
    return `oklch(${lightness.toFixed(3)} ${chroma.toFixed(3)} ${hue.toFixed(1)})`;
  });
}

export class Gaps {
  constructor() {
    this.instance = "";
    this.revision = 0;
    /** Rule -> begin in ms -> column. */
    this.rules = new Map();
    this.steps = 10;
    this.spot = null;
    this.canvas = element("gaps-map");
    this.choice = element("gaps-rule");
    this.choice.addEventListener("change", () => this.draw());
    dark.addEventListener("change", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(element("gaps-frame"));
    this.canvas.addEventListener("pointermove", (event) => this.point(event.offsetX, event.offsetY));
    this.canvas.addEventListener("pointerleave", () => this.leave());
    this.canvas.addEventListener("blur", () => this.leave());
    this.canvas.addEventListener("keydown", (event) => this.press(event));
  }

  /** What the server need not send again. */
  known() {
    return `instance=${this.instance || 0}&revision=${this.revision}`;
  }

  show(state) {
    const part = state.gaps;
    this.take(state.instance, part.value);
    const words = this.notice(part);
    say(element("gaps-notice"), words);
    element("gaps-notice").hidden = words === "";
    element("gaps-frame").hidden = words !== "";
    element("gaps-legend").hidden = words !== "";
    const names = [...this.rules.keys()].sort();
    list(this.choice, names, (name) => name, (name) => html("option", { value: name }), (option, name) => say(option, name));
    element("gaps-choice").hidden = names.length === 0;
    this.draw();
  }

  notice(part) {
    if (part.place === null) {
      return "Histograms are asked for where they are kept: name it with --questdb URL.";
    }
    return this.rules.size === 0 && !part.problem ? "None so far: a rule with function: histogram and per: rule makes some." : "";
  }

  take(instance, value) {
    if (instance !== this.instance) {
      this.rules.clear();
      this.instance = instance;
    }
    if (!value) {
      return;
    }
    this.steps = value.steps;
    this.revision = value.revision;
    for (const column of value.columns) {
      if (!this.rules.has(column.rule)) {
        this.rules.set(column.rule, new Map());
      }
      this.rules.get(column.rule).set(column.begin_ms, column);
    }
    for (const columns of this.rules.values()) {
      const oldest = [...columns.keys()].reduce((one, other) => Math.max(one, other)) - value.span_ms;
      [...columns.keys()].filter((begin) => begin < oldest).forEach((begin) => columns.delete(begin));
    }
  }

  /** The part of time and of lengths that there is something in. */
  plan() {
    const columns = [...(this.rules.get(this.choice.value) ?? new Map()).values()].sort((one, other) => one.begin_ms - other.begin_ms);
    if (columns.length === 0) {
      return null;
    }
    const end = columns.at(-1).end_ms;
    const lasts = (end - columns[0].begin_ms) / 1000;
    const span = (SPANS_S.find((each) => each >= lasts) ?? SPANS_S.at(-1)) * 1000;
    const shown = columns.filter((column) => column.begin_ms >= end - span);
    // Of as many columns as there may be: too many to be the arguments of a function.
    const bins = shown.flatMap((column) => column.bins.filter((_, i) => i % 2 === 0));
    const counts = shown.flatMap((column) => column.bins.filter((_, i) => i % 2 === 1));
    const lowest = Math.floor(bins.reduce((one, other) => Math.min(one, other), 40) / this.steps) * this.steps;
    const highest = Math.ceil((bins.reduce((one, other) => Math.max(one, other), 60) + 1) / this.steps) * this.steps;
    const most = counts.reduce((one, other) => Math.max(one, other), 1);
    return { columns: shown, begin: end - span, end, lowest, highest, most };
  }

  draw() {
    const width = Math.floor(element("gaps-frame").clientWidth);
    if (width === 0) {
      return;
    }
    const pixels = window.devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * pixels) || this.canvas.height !== Math.round(HEIGHT * pixels)) {
      this.canvas.width = Math.round(width * pixels);
      this.canvas.height = Math.round(HEIGHT * pixels);
    }
    const pen = this.canvas.getContext("2d");
    pen.setTransform(pixels, 0, 0, pixels, 0, 0);
    pen.clearRect(0, 0, width, HEIGHT);
    const plan = this.plan();
    this.scale = plan && {
      ...plan,
      x: (ms) => MARGIN.left + ((ms - plan.begin) / (plan.end - plan.begin)) * (width - MARGIN.left - MARGIN.right),
      y: (bin) => MARGIN.top + ((plan.highest - bin) / (plan.highest - plan.lowest)) * (HEIGHT - MARGIN.top - MARGIN.bottom),
    };
    const style = getComputedStyle(document.body);
    if (this.scale) {
      this.drawCells(pen);
      this.drawAxes(pen, style, width);
      this.drawLines(pen, style);
      this.drawSpot(pen, style);
      this.drawLegend();
    }
    this.tell();
  }

  drawCells(pen) {
    const { columns, most, x, y } = this.scale;
    const colours = shades(dark.matches);
    for (const column of columns) {
      const left = Math.floor(x(column.begin_ms));
      const width = Math.max(1, Math.ceil(x(column.end_ms)) - left);
      for (let i = 0; i < column.bins.length; i += 2) {
        const top = Math.floor(y(column.bins[i] + 1));
        const share = Math.log(1 + column.bins[i + 1]) / Math.log(1 + most);
        pen.fillStyle = colours[Math.round(share * (SHADES - 1))];
        pen.fillRect(left, top, width, Math.ceil(y(column.bins[i])) - top);
      }
    }
  }

  drawAxes(pen, style, width) {
    const { begin, end, lowest, highest, x, y } = this.scale;
    pen.font = `11px ${style.fontFamily}`;
    pen.fillStyle = style.getPropertyValue("--quiet");
    pen.strokeStyle = style.getPropertyValue("--line");
    pen.lineWidth = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (let bin = lowest; bin <= highest; bin += this.steps) {
      const at = Math.round(y(bin)) + 0.5;
      pen.beginPath();
      pen.moveTo(MARGIN.left - 4, at);
      pen.lineTo(MARGIN.left, at);
      pen.stroke();
      pen.fillText(gap(10 ** (bin / this.steps)), MARGIN.left - 7, Math.min(HEIGHT - MARGIN.bottom - 5, Math.max(6, at)));
    }
    pen.strokeRect(MARGIN.left + 0.5, MARGIN.top + 0.5, width - MARGIN.left - MARGIN.right - 1, HEIGHT - MARGIN.top - MARGIN.bottom - 1);
    pen.textBaseline = "top";
    const step = (end - begin) / (width < 420 ? 2 : 4);
    for (let ms = begin; ms <= end; ms += step) {
      pen.textAlign = ms === begin ? "left" : ms >= end - 1 ? "right" : "center";
      pen.fillText(clock(ms), x(ms), HEIGHT - MARGIN.bottom + 6);
    }
  }

  /** What half, and what all but one in a hundred do not exceed. */
  drawLines(pen, style) {
    const { columns, highest, x, y } = this.scale;
    for (const [share, name] of [[0.5, "--median"], [0.99, "--p99"]]) {
      pen.beginPath();
      let before = null;
      for (const column of columns) {
        const at = quantile(column, share, this.steps);
        if (at === null) {
          continue;
        }
        const [left, level] = [(x(column.begin_ms) + x(column.end_ms)) / 2, y(Math.min(at, highest))];
        if (before !== null && follows(before, column)) {
          pen.lineTo(left, level);
        } else {
          pen.moveTo(left, level);
        }
        before = column;
      }
      // Seen on any shade.
      pen.strokeStyle = style.getPropertyValue("--rim");
      pen.lineWidth = 3.6;
      pen.stroke();
      pen.strokeStyle = style.getPropertyValue(name);
      pen.lineWidth = 1.8;
      pen.stroke();
    }
  }

  drawSpot(pen, style) {
    const cell = this.cell();
    if (cell) {
      const { x, y } = this.scale;
      pen.strokeStyle = style.getPropertyValue("--text");
      pen.lineWidth = 1.5;
      pen.strokeRect(x(cell.column.begin_ms) - 1, y(cell.bin + 1) - 1, x(cell.column.end_ms) - x(cell.column.begin_ms) + 2, y(cell.bin) - y(cell.bin + 1) + 2);
    }
  }

  drawLegend() {
    const scale = element("gaps-scale");
    const pen = scale.getContext("2d");
    shades(dark.matches).forEach((colour, i) => {
      pen.fillStyle = colour;
      pen.fillRect((i * scale.width) / SHADES, 0, scale.width / SHADES + 1, scale.height);
    });
    say(element("gaps-few"), "1");
    say(element("gaps-many"), `${number(this.scale.most)} gaps`);
  }

  point(x, y) {
    if (!this.scale) {
      return;
    }
    const { columns, lowest, highest } = this.scale;
    const column = columns.find((each) => x >= this.scale.x(each.begin_ms) && x < this.scale.x(each.end_ms));
    const bin = Math.floor(highest - ((y - MARGIN.top) / (HEIGHT - MARGIN.top - MARGIN.bottom)) * (highest - lowest));
    this.spot = column && bin >= lowest && bin < highest ? { begin: column.begin_ms, bin } : null;
    this.draw();
  }

  leave() {
    this.spot = null;
    this.draw();
  }

  press(event) {
    const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!move || !this.scale) {
      return;
    }
    event.preventDefault();
    const { columns, lowest, highest } = this.scale;
    const place = columns.findIndex((each) => each.begin_ms === this.spot?.begin);
    const next = place < 0 ? columns.length - 1 : Math.min(columns.length - 1, Math.max(0, place + move[0]));
    const bin = this.spot ? this.spot.bin + move[1] : Math.round(quantile(columns[next], 0.5, this.steps) ?? lowest);
    this.spot = { begin: columns[next].begin_ms, bin: Math.min(highest - 1, Math.max(lowest, bin)) };
    this.draw();
  }

  cell() {
    const column = this.spot && this.scale?.columns.find((each) => each.begin_ms === this.spot.begin);
    return column ? { column, bin: this.spot.bin } : null;
  }

  tell() {
    const cell = this.cell();
    if (cell) {
      const { column, bin } = cell;
      const count = countOf(column, bin);
      const from = gap(10 ** (bin / this.steps));
      const to = gap(10 ** ((bin + 1) / this.steps));
      say(element("gaps-words"), `${clock(column.begin_ms)}: ${number(count)} of ${number(column.count)} gaps (${percent(column.count ? count / column.count : 0)}) from ${from} to ${to}`);
      return;
    }
    const column = this.scale?.columns.at(-1);
    const median = column && quantile(column, 0.5, this.steps);
    const p99 = column && quantile(column, 0.99, this.steps);
    say(
      element("gaps-words"),
      column
        ? `${clock(column.begin_ms)}: ${number(column.count)} gaps${median === null ? "" : `, median ${gap(10 ** (median / this.steps))}, 99th percentile ${gap(10 ** (p99 / this.steps))}`}, longest ${gap(column.max_ns)}`
        : "",
    );
  }
}

function countOf(column, bin) {
  for (let i = 0; i < column.bins.length; i += 2) {
    if (column.bins[i] === bin) {
      return column.bins[i + 1];
    }
  }
  return 0;
}

/** Whether a line goes on from one to the other: no more than one interval of nothing is between them. */
export const follows = (before, column) => column.begin_ms <= before.end_ms + (before.end_ms - before.begin_ms);

/** In steps; null: there is nothing in it. What is longer than a histogram holds is as long as the longest of all. */
export function quantile(column, share, steps) {
  const longest = steps * Math.log10(Math.max(1, column.max_ns));
  const wanted = share * column.count;
  let below = 0;
  for (let i = 0; i < column.bins.length; i += 2) {
    const count = column.bins[i + 1];
    if (below + count >= wanted && count > 0) {
      return Math.min(column.bins[i] + (wanted - below) / count, longest);
    }
    below += count;
  }
  return column.overflow > 0 ? longest : null;
}

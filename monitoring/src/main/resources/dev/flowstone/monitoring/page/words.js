// SPDX-License-Identifier: Apache-2.0
// Numbers and times as people read them, and elements made of text alone: whatever comes from a network is text here.

const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const ONE_DIGIT = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1, minimumFractionDigits: 1 });
const ROUNDED = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });
const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const SVG = "http://www.w3.org/2000/svg";
const UNKNOWN = "–";

export const number = (value) => (value === null || value === undefined ? UNKNOWN : WHOLE.format(value));

/** Where a number has no room: 12.3B. */
export const rounded = (value) => ROUNDED.format(value);

export const rate = (perSecond) => (perSecond === null || perSecond === undefined ? UNKNOWN : `${WHOLE.format(perSecond)}/s`);

export const percent = (share) => `${ONE_DIGIT.format(100 * share)} %`;

export const tenths = (value) => ONE_DIGIT.format(value);

export const clock = (ms) => CLOCK.format(new Date(ms));

/** Of so many milliseconds: 5 s, 2:05 min, 1:02:05 h. */
export function length(ms) {
  const seconds = Math.floor(ms / 1000);
  const two = (value) => String(value).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) {
    return `${seconds} s`;
  }
  return minutes < 60
    ? `${minutes}:${two(seconds % 60)} min`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)} h`;
}

/** Of nanoseconds, in the unit that suits. */
export function gap(ns) {
  const units = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];
  const [size, unit] = units.find(([each]) => ns >= each * 0.9995) ?? units[3];
  const value = ns / size;
  return `${value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1).replace(/\.0$/, "") : value.toFixed(2).replace(/\.?0+$/, "")} ${unit}`;
}

/** Changes what is different and leaves the rest alone: nothing flickers. */
export function say(element, words) {
  if (element.textContent !== words) {
    element.textContent = words;
  }
}

export function mark(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) {
      element.removeAttribute(name);
    } else if (element.getAttribute(name) !== String(value)) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  return element;
}

const filled = (element, attributes, children) => {
  mark(element, attributes);
  element.append(...children);
  return element;
};

/** Children are elements, or words. */
export const html = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);

export const svg = (tag, attributes = {}, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);

/** Shows a list: an element for each entry, made once and then kept as long as its key is there. */
export function list(parent, entries, key, make, update) {
  const known = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let place = parent.firstElementChild;
  for (const entry of entries) {
    const name = String(key(entry));
    const element = known.get(name) ?? make(entry);
    element.dataset.key = name;
    known.delete(name);
    update(element, entry);
    if (element === place) {
      place = place.nextElementSibling;
    } else {
      parent.insertBefore(element, place);
    }
  }
  known.forEach((element) => element.remove());
}

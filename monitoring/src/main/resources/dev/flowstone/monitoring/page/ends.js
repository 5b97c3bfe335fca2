// SPDX-License-Identifier: Apache-2.0
// A list that is longer than its place ends behind a whole entry, and below it stands how many more there are.

import { html, number, say } from "./words.js";

/** Of these words. */
const HEIGHT_PX = 18;

/** Between a place and the end of its section, for these words. */
const FREE_PX = 9;

/** Below an entry. */
const LINE_PX = 1;

export class ListEnd {
  constructor(place) {
    this.place = place;
    // A screen reader tells all of the list.
    this.more = html("p", { class: "more", "aria-hidden": "true" });
    place.after(this.more);
    place.addEventListener("scroll", () => this.show());
    new ResizeObserver(() => this.show()).observe(place);
  }

  show() {
    const { top, bottom } = this.place.getBoundingClientRect();
    // Where there is a bar to scroll sideways it stands there.
    const inside = top + this.place.clientHeight;
    const end = inside > bottom - 1 ? bottom + FREE_PX : inside;
    const ends = [...this.place.querySelectorAll("tbody > tr, ol > li")].map((entry) => entry.getBoundingClientRect().bottom);
    this.more.hidden = !(ends.at(-1) > inside + 1);
    if (this.more.hidden) {
      return;
    }
    const above = ends.filter((each) => each <= end - HEIGHT_PX);
    // One that is as tall as the place has to be cut.
    const isCut = !(above.at(-1) > top);
    const from = isCut ? end - HEIGHT_PX : above.at(-1) + LINE_PX;
    say(this.more, `${number(ends.length - above.length - (isCut ? 1 : 0))} more below`);
    const section = this.more.offsetParent;
    this.more.style.top = `${from - section.getBoundingClientRect().top - section.clientTop}px`;
    this.more.style.height = `${end - from}px`;
  }
}

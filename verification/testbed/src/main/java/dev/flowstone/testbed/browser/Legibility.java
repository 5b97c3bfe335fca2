// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;

/** Whether the page's picture can be read: nothing is cut, and nothing stands on something else. */
final class Legibility {
  /** Counts of a job that has run for a day. */
  private static final int DAY = 4_321;

  /**
   * Draws what the state says anew, with counts that many times as high and, where they are, with
   * drops at the rings; answers with what is wrong to the eye. A line is looked at each other
   * pixel.
   */
  private static final String FAULTS =
      """
      (async (times) => {
        const { Pipeline } = await import("/pipeline.js");
        const state = await (await fetch("/api/state?instance=0&revision=0")).text();
        const changed = (key, value) => key === "count" ? value * times
          : key === "dropped" && times > 1 ? { count: 7, per_second: 7 } : value;
        new Pipeline(document.querySelector("#picture")).show(JSON.parse(state, changed));
        const picture = document.querySelector("#picture svg");
        const all = (selector) => [...picture.querySelectorAll(selector)];
        const box = (element) => element.getBoundingClientRect();
        const isIn = (one, other) => one.left >= other.left && one.right <= other.right && one.top >= other.top && one.bottom <= other.bottom;
        const meet = (one, other) => one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
        const runsThrough = (path, words) => {
          const half = path.getAttribute("stroke-width") / 2;
          return Array.from({ length: path.getTotalLength() / 2 }, (_, i) => path.getPointAtLength(2 * i))
            .map(({ x, y }) => [x + box(picture).left, y + box(picture).top])
            .some(([x, y]) => meet(words, { left: x - half, right: x + half, top: y - half, bottom: y + half }));
        };
        const faults = document.documentElement.scrollWidth > innerWidth ? ["the page scrolls to the side"] : [];
        for (const words of all("[data-edge] :is(text, tspan)").filter((each) => each.children.length === 0)) {
          if (!isIn(box(words), box(picture))) faults.push(`not all is in the picture of ${words.textContent}`);
          if (all(".box").some((node) => meet(box(words), box(node)))) faults.push(`on a node: ${words.textContent}`);
          for (const path of all("path")) {
            if (runsThrough(path, box(words))) faults.push(`a line runs through ${words.textContent}`);
          }
        }
        for (const words of all("[data-node] > text").filter((each) => each.textContent)) {
          if (words.textContent.includes("…")) faults.push(`cut: ${words.textContent}`);
          if (!isIn(box(words), box(words.parentNode.querySelector(".box")))) faults.push(`out of its node: ${words.textContent}`);
        }
        for (const sign of document.querySelectorAll("#gaps-legend .line")) {
          const words = document.createRange();
          words.selectNode(sign.nextSibling);
          if (box(words).top > box(sign).bottom) faults.push(`parted from its sign: ${words}`);
        }
        return faults;
      })""";

  private Legibility() {}

  /** At the size that the window has. */
  static void require(ShownPage page) throws Exception {
    for (int times : new int[] {1, DAY}) {
      assertThat(page.value(FAULTS + "(" + times + ")"))
          .extracting(JsonNode::asText)
          .as("at %s pixels, %d times as many", page.value("innerWidth"), times)
          .isEmpty();
    }
  }
}

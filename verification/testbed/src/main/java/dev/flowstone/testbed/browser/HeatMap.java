// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.browser;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The page's heat map, looked at pixel by pixel. What stands where is asked of the mark: whoever
 * points at a place is told of which cell it is.
 */
public record HeatMap(ShownPage page) {
  /**
   * What the two below begin with: pixels without a mark, and what the mark tells at a place, which
   * is nothing beside all cells.
   */
  private static final String MAP =
      """
      const map = document.querySelector("#gaps-map");
      map.dispatchEvent(new PointerEvent("pointerleave"));
      const { width, height } = map;
      const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
      copy.drawImage(map, 0, 0);
      const { data } = copy.getImageData(0, 0, width, height);
      const pixel = (x, y) => [...data.slice(4 * (y * width + x), 4 * (y * width + x) + 4)];
      const TOLD = /^(\\S+): ([\\d,]+) of [\\d,]+ gaps \\(.*\\) from (\\S+ \\S+) to (\\S+ \\S+)$/;
      const told = (x, y) => {
        const { left, top } = map.getBoundingClientRect();
        map.dispatchEvent(new PointerEvent("pointermove", { clientX: left + x + 0.5, clientY: top + y + 0.5 }));
        const words = document.querySelector("#gaps-words").textContent.match(TOLD);
        return words && { time: words[1], count: words[2], from: words[3], to: words[4] };
      };
      const leave = () => map.dispatchEvent(new PointerEvent("pointerleave"));
      const runs = (length, key) => {
        const all = [];
        for (let i = 0; i < length; i++) {
          const name = key(i);
          if (all.length === 0 || all.at(-1).name !== name) all.push({ name, begin: i });
          all.at(-1).end = i;
        }
        return all.map(({ name, begin, end }) => ({ name, middle: Math.floor((begin + end + 1) / 2) }));
      };
      const columns = runs(width, (x) => told(x, Math.floor(height / 2))?.time).slice(1, -1);
      """;

  /** In the middle of each cell and of what is between two columns, from left to right. */
  private static final String CELLS =
      """
      const steps = runs(height, (y) => told(columns[0].middle, y)?.from).filter((each) => each.name);
      const cells = columns.flatMap((column) => steps.map((step) =>
        ({ told: told(column.middle, step.middle), colour: pixel(column.middle, step.middle) })));
      leave();
      return cells;
      """;

  /**
   * Of each place from left to right between the middles of the first and the last column: what is
   * told where the colour is most like a line's, and how far it is from that.
   */
  private static final String LINE =
      """
      const wanted = getComputedStyle(document.querySelector("#gaps-legend .line." + name)).backgroundColor.match(/\\d+/g).map(Number);
      const places = [];
      for (let x = columns[0].middle + 1; x < columns.at(-1).middle; x++) {
        let best = { far: Infinity };
        for (let y = 0; y < height; y++) {
          const [red, green, blue, alpha] = pixel(x, y);
          const far = Math.abs(red - wanted[0]) + Math.abs(green - wanted[1]) + Math.abs(blue - wanted[2]) + 255 - alpha;
          if (far < best.far) best = { far, y };
        }
        places.push({ far: best.far, told: told(x, best.y) });
      }
      leave();
      return places;
      """;

  private static final Map<String, Double> UNITS =
      Map.of("ns", 1.0, "us", 1e3, "ms", 1e6, "s", 1e9);

  /**
   * What is told of a cell.
   *
   * @param count of gaps in it
   */
  public record Told(long count, double fromNs, double toNs) {
    private static Told of(JsonNode told) {
      return new Told(
          Long.parseLong(told.path("count").asText().replace(",", "")),
          ns(told.path("from")),
          ns(told.path("to")));
    }

    private static double ns(JsonNode words) {
      String[] parts = words.asText().split(" ", -1);
      return Double.parseDouble(parts[0]) * UNITS.get(parts[1]);
    }

    public boolean holds(long gapNs) {
      return gapNs >= fromNs && gapNs < toNs;
    }
  }

  /**
   * A place in the middle of a cell, or between two columns.
   *
   * @param told empty between two columns
   */
  public record Cell(Optional<Told> told, Colour colour) {}

  /** Of a pixel. */
  public record Colour(int red, int green, int blue, int alpha) {
    public boolean isPainted() {
      return alpha > 0;
    }

    /** As people see it, roughly. */
    public double lightness() {
      return 0.3 * red + 0.6 * green + 0.1 * blue;
    }

    private static Colour of(JsonNode pixel) {
      return new Colour(
          pixel.path(0).asInt(),
          pixel.path(1).asInt(),
          pixel.path(2).asInt(),
          pixel.path(3).asInt());
    }
  }

  /**
   * A place of a line.
   *
   * @param far distance of the place's color from the line's color, over red, green and blue
   */
  public record OnLine(long far, Told told) {}

  /** Of that rule. */
  public void choose(String rule) throws Exception {
    page.value(
        """
        (() => {
          const choice = document.querySelector("#gaps-rule");
          choice.value = "%s";
          choice.dispatchEvent(new Event("change"));
        })()"""
            .formatted(rule));
  }

  /** By columns from left to right, in each from top to bottom. */
  public List<Cell> cells() throws Exception {
    List<Cell> cells = new ArrayList<>();
    for (JsonNode cell : page.value("(() => {" + MAP + CELLS + "})()")) {
      JsonNode told = cell.path("told");
      cells.add(
          new Cell(
              told.isObject() ? Optional.of(Told.of(told)) : Optional.empty(),
              Colour.of(cell.path("colour"))));
    }
    return cells;
  }

  /** What many gaps are painted with, as the legend has it. */
  public Colour most() throws Exception {
    return Colour.of(
        page.value(
            """
            (() => {
              const scale = document.querySelector("#gaps-scale");
              return [...scale.getContext("2d").getImageData(scale.width - 1, scale.height / 2, 1, 1).data];
            })()"""));
  }

  /**
   * Returns the places of a line from left to right.
   *
   * @param name of the line's sign in the legend
   */
  public List<OnLine> line(String name) throws Exception {
    List<OnLine> line = new ArrayList<>();
    for (JsonNode place : page.value("((name) => {" + MAP + LINE + "})('" + name + "')")) {
      line.add(new OnLine(place.path("far").asLong(), Told.of(place.path("told"))));
    }
    return line;
  }
}

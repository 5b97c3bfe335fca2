// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Draws a layout as rows of eight bytes. Whole rows of one field are drawn once, with a wavy second
 * line.
 */
final class ByteDiagram {
  private static final int ROW_BYTES = 8;
  private static final int CELL_WIDTH = 9;

  private final List<Band> bands = new ArrayList<>();
  private final StringBuilder out = new StringBuilder();
  private final int labelWidth;

  /** The bytes {@code from} to {@code to} (excluded) of one row. */
  private record Cell(int from, int to, String label) {}

  private record Band(long offset, boolean tall, List<Cell> cells) {}

  private ByteDiagram(Abi abi, Layout layout) {
    labelWidth = Long.toString(layout.sizeBytes()).length();
    layout
        .fields()
        .forEach(field -> place(field.offset(), abi.sizeBytes(field), label(abi, field)));
  }

  static String draw(Abi abi, Layout layout) {
    return new ByteDiagram(abi, layout).draw();
  }

  private static String label(Abi abi, Field field) {
    if (field.count().isPresent()) {
      return field.name() + "[" + field.elements() + "]";
    }
    long bytes = abi.sizeBytes(field);
    return bytes > ROW_BYTES ? field.name() + " (" + bytes + " bytes)" : field.name();
  }

  private void place(long start, long sizeBytes, String label) {
    long offset = start;
    long end = start + sizeBytes;
    while (offset < end) {
      int from = (int) (offset % ROW_BYTES);
      if (from == 0 && end - offset >= ROW_BYTES) {
        long rows = (end - offset) / ROW_BYTES;
        bands.add(new Band(offset, rows > 1, List.of(new Cell(0, ROW_BYTES, label))));
        offset += rows * ROW_BYTES;
      } else {
        int to = (int) Math.min(ROW_BYTES, from + end - offset);
        rowOf(offset - from).add(new Cell(from, to, label));
        offset += to - from;
      }
    }
  }

  private List<Cell> rowOf(long rowOffset) {
    if (bands.isEmpty() || bands.getLast().offset() != rowOffset) {
      bands.add(new Band(rowOffset, false, new ArrayList<>()));
    }
    return bands.getLast().cells();
  }

  private String draw() {
    out.append(" ".repeat(labelWidth + 1));
    for (int column = 0; column < ROW_BYTES; column++) {
      out.append(" ").append(centred("+" + column, CELL_WIDTH));
    }
    out.append('\n');
    Band previous = null;
    for (Band band : bands) {
      border(previous, band);
      content(band);
      previous = band;
    }
    border(previous, null);
    return out.toString().replaceAll("(?m) +$", "");
  }

  private void border(Band above, Band below) {
    TreeSet<Integer> corners = new TreeSet<>();
    addCorners(above, corners);
    addCorners(below, corners);
    StringBuilder line = new StringBuilder("-".repeat(corners.last() * (CELL_WIDTH + 1) + 1));
    corners.forEach(corner -> line.setCharAt(corner * (CELL_WIDTH + 1), '+'));
    out.append(" ".repeat(labelWidth + 1)).append(line).append('\n');
  }

  private static void addCorners(Band band, Set<Integer> corners) {
    if (band != null) {
      for (Cell cell : band.cells()) {
        corners.add(cell.from());
        corners.add(cell.to());
      }
    }
  }

  private void content(Band band) {
    List<List<String>> columns =
        band.cells().stream().map(cell -> split(cell.label(), width(cell))).toList();
    int lines = columns.stream().mapToInt(List::size).max().orElse(1);
    for (int line = 0; line < lines; line++) {
      String offset = line == 0 ? Long.toString(band.offset()) : "";
      out.append(" ".repeat(labelWidth - offset.length())).append(offset).append(" |");
      for (int column = 0; column < columns.size(); column++) {
        List<String> words = columns.get(column);
        String text = line < words.size() ? words.get(line) : "";
        out.append(centred(text, width(band.cells().get(column)))).append('|');
      }
      out.append('\n');
    }
    if (band.tall()) {
      int width = width(band.cells().getFirst());
      out.append(" ".repeat(labelWidth)).append(" ~").append(" ".repeat(width)).append("~\n");
    }
  }

  private static int width(Cell cell) {
    return (cell.to() - cell.from()) * (CELL_WIDTH + 1) - 1;
  }

  private static String centred(String text, int width) {
    int left = (width - text.length()) / 2;
    return " ".repeat(left) + text + " ".repeat(width - text.length() - left);
  }

  /** Breaks a long name after an underscore, or where the cell ends. */
  private static List<String> split(String label, int width) {
    List<String> lines = new ArrayList<>();
    String rest = label;
    while (rest.length() > width) {
      int underscore = rest.lastIndexOf('_', width - 1);
      int end = underscore > 0 ? underscore + 1 : width;
      lines.add(rest.substring(0, end));
      rest = rest.substring(end).stripLeading();
    }
    lines.add(rest);
    return lines;
  }
}

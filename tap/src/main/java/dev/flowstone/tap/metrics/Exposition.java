// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.metrics;

/**
 * Metrics in Prometheus' text format 0.0.4: a family's head, then its samples. One thread.
 *
 * <pre>
 *   # HELP flowstone_ring_written_packets_total Packets that are in the ring.
 *   # TYPE flowstone_ring_written_packets_total counter
 *   flowstone_ring_written_packets_total{ring="0"} 1234
 * </pre>
 */
public final class Exposition {
  public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private final StringBuilder text = new StringBuilder();
  private String family = "";

  /** Begins a family that only grows while the tap runs; its name ends in {@code _total}. */
  public Exposition counter(String name, String help) {
    return family(name, "counter", help);
  }

  /** Begins a family that goes up and down. */
  public Exposition gauge(String name, String help) {
    return family(name, "gauge", help);
  }

  private Exposition family(String name, String type, String help) {
    family = name;
    text.append("# HELP ").append(name).append(' ').append(help).append('\n');
    text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    return this;
  }

  /**
   * A sample of the family that was begun last.
   *
   * @param labels names and values by turns
   */
  public Exposition sample(long value, String... labels) {
    return sample(Long.toString(value), labels);
  }

  public Exposition sample(double value, String... labels) {
    return sample(Double.toString(value), labels);
  }

  private Exposition sample(String value, String... labels) {
    text.append(family);
    for (int i = 0; i < labels.length; i += 2) {
      text.append(i == 0 ? '{' : ',').append(labels[i]).append("=\"");
      appendEscaped(labels[i + 1]);
      text.append('"');
    }
    text.append(labels.length == 0 ? " " : "} ").append(value).append('\n');
    return this;
  }

  private void appendEscaped(String label) {
    for (int i = 0; i < label.length(); i++) {
      char character = label.charAt(i);
      switch (character) {
        case '\\' -> text.append("\\\\");
        case '"' -> text.append("\\\"");
        case '\n' -> text.append("\\n");
        default -> text.append(character);
      }
    }
  }

  @Override
  public String toString() {
    return text.toString();
  }
}

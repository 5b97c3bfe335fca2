// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.yaml;

import dev.flowstone.rules.Place;
import dev.flowstone.rules.Problems;
import dev.flowstone.rules.TextFile;
import dev.flowstone.rules.yaml.YamlNode.Entry;
import dev.flowstone.rules.yaml.YamlNode.Kind;
import dev.flowstone.rules.yaml.YamlNode.Mapping;
import dev.flowstone.rules.yaml.YamlNode.Scalar;
import dev.flowstone.rules.yaml.YamlNode.Sequence;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.events.SequenceStartEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.resolver.ScalarResolver;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/**
 * Reads one YAML document into nodes, by its events: what is nested too deep is refused before it
 * is built, and there are no aliases, so that a small text is a small tree.
 */
final class YamlTree {
  static final int MOST_DEPTH = 16;

  private static final ScalarResolver RESOLVER = new CoreSchema().getScalarResolver();

  private final Iterator<Event> events;

  private YamlTree(Iterator<Event> events) {
    this.events = events;
  }

  /** The document's node; problems say why there is none. */
  static Optional<YamlNode> read(String text, Problems problems) {
    // In one buffer: at the border of two the engine stumbles over characters beyond 16 bits.
    LoadSettings settings =
        LoadSettings.builder()
            .setCodePointLimit(TextFile.MOST_BYTES)
            .setBufferSize(text.length() + 2)
            .build();
    try {
      return Optional.of(new YamlTree(new Parse(settings).parseString(text).iterator()).document());
    } catch (Refusal e) {
      problems.add(e.place, e.getMessage());
    } catch (MarkedYamlEngineException e) {
      problems.add(
          e.getProblemMark().map(YamlTree::placeOf).orElse(Place.START), "no YAML: " + told(e));
    } catch (YamlEngineException e) {
      problems.add(Place.START, "no YAML: " + e.getMessage());
    } catch (RuntimeException e) {
      // What the engine did not foresee, such as \UFFFFFFFF, is the text's fault all the same.
      problems.add(Place.START, "no YAML: the file cannot be read (" + e + ")");
    }
    return Optional.empty();
  }

  private static String told(MarkedYamlEngineException e) {
    String problem = Optional.ofNullable(e.getProblem()).orElse("it cannot be read");
    return problem.contains("mapping values are not allowed")
        ? problem + "; text with a colon at its end or before a blank needs quotes"
        : problem;
  }

  private YamlNode document() {
    next(Event.ID.StreamStart);
    if (!events.hasNext()) {
      throw new Refusal(Place.START, "the file is empty");
    }
    Event start = events.next();
    if (start.getEventId() == Event.ID.StreamEnd) {
      throw new Refusal(Place.START, "the file is empty");
    }
    YamlNode root = node(events.next(), MOST_DEPTH);
    next(Event.ID.DocumentEnd);
    Event end = events.next();
    if (end.getEventId() != Event.ID.StreamEnd) {
      throw new Refusal(placeOf(end), "one document only: a second one begins here");
    }
    return root;
  }

  private void next(Event.ID expected) {
    Event event = events.next();
    if (event.getEventId() != expected) {
      throw new IllegalStateException(expected + " expected, not " + event);
    }
  }

  private YamlNode node(Event event, int depthLeft) {
    Place place = placeOf(event);
    if (event instanceof NodeEvent named && named.getAnchor().isPresent()) {
      throw new Refusal(place, "anchors and aliases (& and *) are not taken: write it out");
    }
    if (depthLeft == 0) {
      throw new Refusal(place, "nested more than " + MOST_DEPTH + " deep");
    }
    return switch (event) {
      case ScalarEvent scalar -> scalar(place, scalar);
      case SequenceStartEvent sequence -> {
        refuseTag(place, sequence.getTag());
        yield sequence(place, depthLeft);
      }
      case MappingStartEvent mapping -> {
        refuseTag(place, mapping.getTag());
        yield mapping(place, depthLeft);
      }
      default -> throw new IllegalStateException("no node: " + event);
    };
  }

  private Sequence sequence(Place place, int depthLeft) {
    List<YamlNode> items = new ArrayList<>();
    for (Event event = events.next();
        event.getEventId() != Event.ID.SequenceEnd;
        event = events.next()) {
      items.add(node(event, depthLeft - 1));
    }
    return new Sequence(place, items);
  }

  private Mapping mapping(Place place, int depthLeft) {
    List<Entry> entries = new ArrayList<>();
    for (Event event = events.next();
        event.getEventId() != Event.ID.MappingEnd;
        event = events.next()) {
      if (!(node(event, depthLeft - 1) instanceof Scalar key)) {
        throw new Refusal(placeOf(event), "a key must be a word");
      }
      entries.add(new Entry(key, node(events.next(), depthLeft - 1)));
    }
    return new Mapping(place, entries);
  }

  private static Scalar scalar(Place place, ScalarEvent event) {
    refuseTag(place, event.getTag());
    boolean isPlain = event.getScalarStyle() == ScalarStyle.PLAIN;
    return new Scalar(place, kindOf(RESOLVER.resolve(event.getValue(), isPlain)), event.getValue());
  }

  private static Kind kindOf(Tag tag) {
    if (tag.equals(Tag.INT)) {
      return Kind.WHOLE;
    }
    if (tag.equals(Tag.FLOAT)) {
      return Kind.FRACTION;
    }
    if (tag.equals(Tag.BOOL)) {
      return Kind.TRUTH;
    }
    return tag.equals(Tag.NULL) ? Kind.NOTHING : Kind.TEXT;
  }

  private static void refuseTag(Place place, Optional<String> tag) {
    if (tag.isPresent()) {
      throw new Refusal(place, "tags (!) are not taken: " + tag.get());
    }
  }

  private static Place placeOf(Event event) {
    return event.getStartMark().map(YamlTree::placeOf).orElse(Place.START);
  }

  private static Place placeOf(Mark mark) {
    return new Place(mark.getLine() + 1, mark.getColumn() + 1);
  }

  /** Ends the reading at once. */
  private static final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Place place;

    Refusal(Place place, String message) {
      super(message);
      this.place = place;
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.alert;

import dev.flowstone.jobs.anomaly.pane.Pane;
import dev.flowstone.jobs.anomaly.pane.PaneSum;
import dev.flowstone.jobs.anomaly.pane.Terms;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * How it stands with a subject after its latest window: whether an alert is open, and what is
 * usual. Windows come one after the other; those without a packet are left out while no alert is
 * open.
 *
 * @param openedPane that ended the window in which the alert began
 * @param windows above the limit since then
 * @param quietPanes since the latest of them
 * @param peak greatest value of a window since then
 * @param mean of former windows, exponentially weighted, as of {@code meanPane}
 * @param attack what was seen since then, in panes that ended a window above the limit; null: no
 *     alert is open
 */
public record Course(
    boolean isOpen,
    long openedPane,
    long windows,
    long quietPanes,
    long peak,
    double mean,
    long meanPane,
    Pane attack) {
  static final Course NEW = new Course(false, 0, 0, 0, 0, 0, 0, null);

  private static final int PERCENT = 100;

  /**
   * What a window means.
   *
   * @param told what became of the alert; null: nothing that is told
   * @param during the course with this window, before an alert that it closes is forgotten
   * @param next the course from here on
   * @param usual the mean before this window
   */
  record Verdict(
      Alert.State told, Course during, Course next, long observed, long limit, double usual) {}

  /** For {@link #read}. */
  void write(DataOutputView out) throws IOException {
    out.writeBoolean(isOpen);
    out.writeLong(openedPane);
    out.writeLong(windows);
    out.writeLong(quietPanes);
    out.writeLong(peak);
    out.writeDouble(mean);
    out.writeLong(meanPane);
    out.writeBoolean(attack != null);
    if (attack != null) {
      attack.write(out);
    }
  }

  /** As {@link #write} wrote it. */
  static Course read(DataInputView in) throws IOException {
    return new Course(
        in.readBoolean(),
        in.readLong(),
        in.readLong(),
        in.readLong(),
        in.readLong(),
        in.readDouble(),
        in.readLong(),
        in.readBoolean() ? Pane.read(in) : null);
  }

  /**
   * Judges the window that ends with a pane.
   *
   * @param newest that pane; null: nobody saw a packet of it
   */
  Verdict judge(Terms terms, long pane, Pane window, Pane newest) {
    double usual = usualAt(terms, pane);
    long limit = Math.max(terms.threshold(), (long) (terms.baselineTimes() * usual));
    long observed = Measure.of(terms.kind(), window);
    boolean isAbove = observed > limit && !areEnoughCompleted(terms, window);
    double learned = learn(terms, usual, observed, limit);
    if (isAbove) {
      Course during =
          new Course(
              true,
              isOpen ? openedPane : pane,
              windows + 1,
              0,
              Math.max(peak, observed),
              learned,
              pane,
              isOpen ? together(attack, newest) : window);
      Alert.State told = isOpen ? Alert.State.UPDATED : Alert.State.OPENED;
      return new Verdict(told, during, during, observed, limit, usual);
    }
    Course during =
        new Course(
            isOpen, openedPane, windows, isOpen ? quietPanes + 1 : 0, peak, learned, pane, attack);
    boolean isOver = isOpen && during.quietPanes >= terms.panes();
    return new Verdict(
        isOver ? Alert.State.CLOSED : null,
        during,
        isOver ? during.closed() : during,
        observed,
        limit,
        usual);
  }

  private Course closed() {
    return new Course(false, 0, 0, 0, 0, mean, meanPane, null);
  }

  private static Pane together(Pane sum, Pane more) {
    return more == null ? sum : new PaneSum().add(sum).add(more).toPane();
  }

  private static boolean areEnoughCompleted(Terms terms, Pane window) {
    return terms.leastCompletedPercent() > 0
        && window.begun() > 0
        && window.completed() * PERCENT >= terms.leastCompletedPercent() * window.begun();
  }

  /** An attack teaches no more than what was just no alert, or soon nothing would be one. */
  private static double learn(Terms terms, double usual, long observed, long limit) {
    if (terms.baselineTimes() == 0) {
      return 0;
    }
    double taught = Math.min(observed, Math.max(1, limit));
    double kept = weight(terms, 1);
    return kept * usual + (1 - kept) * taught;
  }

  /** The mean before a window; while nothing came, it has faded. */
  private double usualAt(Terms terms, long pane) {
    if (mean == 0) {
      return 0;
    }
    double faded = mean * weight(terms, pane - meanPane - 1);
    return pane - meanPane > 1 && isWithoutEffect(terms, faded) ? 0 : faded;
  }

  /** What a window weighs after so many panes. Strict: the same bits on every machine. */
  private static double weight(Terms terms, long panes) {
    return StrictMath.pow(2, -(panes * (double) terms.slideNs() / terms.halfLifeNs()));
  }

  private static boolean isWithoutEffect(Terms terms, double mean) {
    return terms.baselineTimes() * mean <= Math.max(1, terms.threshold());
  }

  /**
   * The pane after which, if none of it and before it comes any more, there is nothing left to
   * remember.
   */
  long forgottenAfter(Terms terms) {
    if (mean == 0) {
      return meanPane;
    }
    double halves =
        StrictMath.log(terms.baselineTimes() * mean / Math.max(1, terms.threshold()))
            / StrictMath.log(2);
    return meanPane
        + Math.max(1, (long) Math.ceil(halves * terms.halfLifeNs() / terms.slideNs()) + 1);
  }
}

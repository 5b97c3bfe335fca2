// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.alert;

import dev.flowstone.jobs.anomaly.pane.Pane;
import dev.flowstone.jobs.anomaly.pane.PaneSum;
import dev.flowstone.jobs.anomaly.pane.Subject;
import dev.flowstone.jobs.anomaly.pane.Terms;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.LongConsumer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * What is kept of a subject: the panes of windows that are to come, and how it stands after its
 * latest one. Most have one pane, once. One thread.
 */
final class Standing {
  /** Of the heap: itself, its subject, and its places in tables. */
  private static final int BYTES_ALONE = 240;

  private static final Pane NOTHING = new PaneSum().toPane();
  private static final long NONE = Long.MIN_VALUE;

  private final Subject subject;
  private Terms terms;

  /** Up to which its windows have been judged. */
  private long judgedPane = NONE;

  private Course course = Course.NEW;

  /** In the order of their numbers. */
  private Pane[] panes = new Pane[1];

  private long[] numbers = new long[1];
  private int size;

  Standing(Subject subject, Terms terms) {
    this.subject = subject;
    this.terms = terms;
  }

  Subject subject() {
    return subject;
  }

  Terms terms() {
    return terms;
  }

  /** Those of its latest pane hold for all. */
  void putUnder(Terms latest) {
    terms = latest;
  }

  Course course() {
    return course;
  }

  boolean isJudged(long number) {
    return number <= judgedPane;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Adds to a pane; true: there was none of this number. */
  boolean add(long number, Pane part) {
    int place = Arrays.binarySearch(numbers, 0, size, number);
    if (place >= 0) {
      panes[place] = together(panes[place], part);
      return false;
    }
    if (size == panes.length) {
      panes = Arrays.copyOf(panes, 2 * size);
      numbers = Arrays.copyOf(numbers, 2 * size);
    }
    int to = -place - 1;
    System.arraycopy(panes, to, panes, to + 1, size - to);
    System.arraycopy(numbers, to, numbers, to + 1, size - to);
    panes[to] = part;
    numbers[to] = number;
    size++;
    return true;
  }

  private static Pane together(Pane one, Pane other) {
    return new PaneSum().add(one).add(other).toPane();
  }

  /** The pane of this number; null: there is none. */
  Pane pane(long number) {
    int place = Arrays.binarySearch(numbers, 0, size, number);
    return place < 0 ? null : panes[place];
  }

  /** Whether the window that ends with a pane has any. Earlier ones have been forgotten. */
  boolean hasPanesUpTo(long number) {
    return size > 0 && numbers[0] <= number;
  }

  /** All of the window that ends with a pane, together. */
  Pane windowUpTo(long number) {
    if (!hasPanesUpTo(number)) {
      return NOTHING;
    }
    if (size == 1 || numbers[1] > number) {
      return panes[0];
    }
    PaneSum sum = new PaneSum();
    for (int i = 0; i < size && numbers[i] <= number; i++) {
      sum.add(panes[i]);
    }
    return sum.toPane();
  }

  void judged(long number, Course next) {
    judgedPane = number;
    course = next;
  }

  /** Forgets the panes of no window that ends after this one. */
  void forgetPassed(long number) {
    int passed = 0;
    while (passed < size && numbers[passed] <= number + 1 - terms.panes()) {
      passed++;
    }
    if (passed > 0) {
      size -= passed;
      System.arraycopy(numbers, passed, numbers, 0, size);
      System.arraycopy(panes, passed, panes, 0, size);
      Arrays.fill(panes, size, size + passed, null);
    }
  }

  /** Whether there is nothing to know: neither of windows to come, nor of former ones. */
  boolean isForgotten(long number) {
    return size == 0 && !course.isOpen() && course.forgottenAfter(terms) <= number;
  }

  /**
   * The pane that has to be looked at again after this one, though nothing of it may come; that or
   * an earlier one: none.
   */
  long nextAfter(long number) {
    return course.isOpen() || hasPanesUpTo(number) ? number + 1 : course.forgottenAfter(terms);
  }

  /** All panes that have to be looked at, for whoever knows nothing but this. */
  void forEachToJudge(LongConsumer pane) {
    for (int i = 0; i < size; i++) {
      if (!isJudged(numbers[i])) {
        pane.accept(numbers[i]);
      }
    }
    if (judgedPane != NONE && nextAfter(judgedPane) > judgedPane) {
      pane.accept(nextAfter(judgedPane));
    }
  }

  /** About so much of the heap. */
  int memoryBytes() {
    int bytes = BYTES_ALONE;
    for (int i = 0; i < size; i++) {
      bytes += panes[i].memoryBytes();
    }
    return course.attack() == null ? bytes : bytes + course.attack().memoryBytes();
  }

  /** For {@link #read}; terms are the same for many, and whose they are is told apart. */
  void write(DataOutputView out) throws IOException {
    subject.write(out);
    out.writeLong(judgedPane);
    course.write(out);
    out.writeInt(size);
    for (int i = 0; i < size; i++) {
      out.writeLong(numbers[i]);
      panes[i].write(out);
    }
  }

  /** As {@link #write} wrote it. */
  static Standing read(Terms terms, DataInputView in) throws IOException {
    Standing read = new Standing(Subject.read(in), terms);
    read.judged(in.readLong(), Course.read(in));
    int size = in.readInt();
    for (int i = 0; i < size; i++) {
      read.add(in.readLong(), Pane.read(in));
    }
    return read;
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.alert;

import dev.flowstone.jobs.anomaly.pane.Pane;
import dev.flowstone.jobs.anomaly.pane.PaneSum;
import dev.flowstone.jobs.anomaly.pane.Subject;
import dev.flowstone.jobs.anomaly.pane.Terms;
import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * What is kept of a subject: the panes of windows that are to come, and how it stands after its
 * latest one. Most have one pane, once. One thread.
 */
final class Standing {
  /** Of the heap: itself, its subject, and its places in tables. */
  private static final int BYTES_ALONE = 250;

  /** Of what is known of former windows. */
  private static final int COURSE_BYTES = 72;

  /** Of a place for a pane, used or not. */
  private static final int PLACE_BYTES = 12;

  /** Of {@link #dueMs}: nothing has to be looked at. */
  static final long NEVER = Long.MAX_VALUE;

  private static final Pane NOTHING = new PaneSum().toPane();
  private static final long NONE = Long.MIN_VALUE;

  private final Subject subject;
  private Terms terms;

  /** Up to which its windows have been judged. */
  private long judgedPane = NONE;

  private Course course = Course.NEW;

  /** The watermark at which it has to be looked at next; {@link Standings} keeps it. */
  private long dueMs = NEVER;

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

  long dueMs() {
    return dueMs;
  }

  void dueAt(long watermarkMs) {
    dueMs = watermarkMs;
  }

  void add(long number, Pane part) {
    int place = Arrays.binarySearch(numbers, 0, size, number);
    if (place >= 0) {
      panes[place] = together(panes[place], part);
      return;
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

  /**
   * The watermark at which it has to be looked at next: when a pane is complete that has come, or
   * of a window that goes on, or from which on former windows do not matter any more.
   *
   * @param looked the pane that was looked at last; {@link #judgedPane} for one from a checkpoint
   * @return {@link #NEVER}: there is nothing left to know
   */
  long lookAfter(long looked) {
    int place = Arrays.binarySearch(numbers, 0, size, looked);
    int next = place < 0 ? -place - 1 : place + 1;
    long ofPanesMs = next < size ? terms.lastMs(numbers[next]) : NEVER;
    if (looked == NONE) {
      return ofPanesMs;
    }
    boolean goesOn = course.isOpen() || hasPanesUpTo(looked);
    long ofCourse = goesOn ? looked + 1 : course.forgottenAfter(terms);
    return ofCourse > looked ? Math.min(ofPanesMs, terms.lastMs(ofCourse)) : ofPanesMs;
  }

  long judgedPane() {
    return judgedPane;
  }

  /** About so much of the heap. */
  int memoryBytes() {
    int bytes = BYTES_ALONE + PLACE_BYTES * panes.length;
    for (int i = 0; i < size; i++) {
      bytes += panes[i].memoryBytes();
    }
    if (judgedPane != NONE) {
      bytes += COURSE_BYTES;
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

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.pane;

import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.Value;

/**
 * What one subtask has seen of a subject within a pane, or a part of it. Flink's own kind of value,
 * which writes and reads itself: there are as many as subjects.
 */
public final class PanePart implements Value {
  private static final long serialVersionUID = 1L;

  private Subject subject;
  private byte[] terms;
  private long number;
  private Pane pane;

  /** For Flink, which then reads it. */
  public PanePart() {}

  /**
   * A part to send.
   *
   * @param terms see {@link Terms#toBytes}; not copied
   * @param number of the pane: time over the slide
   */
  PanePart(Subject subject, byte[] terms, long number, Pane pane) {
    this.subject = subject;
    this.terms = terms;
    this.number = number;
    this.pane = pane;
  }

  public Subject subject() {
    return subject;
  }

  /** The same bytes for many parts, so that whoever knows them need not read them. */
  public byte[] terms() {
    return terms;
  }

  public long number() {
    return number;
  }

  public Pane pane() {
    return pane;
  }

  @Override
  public void write(DataOutputView out) throws IOException {
    subject.write(out);
    out.writeInt(terms.length);
    out.write(terms);
    out.writeLong(number);
    pane.write(out);
  }

  @Override
  public void read(DataInputView in) throws IOException {
    subject = Subject.read(in);
    terms = new byte[in.readInt()];
    in.readFully(terms);
    number = in.readLong();
    pane = Pane.read(in);
  }
}

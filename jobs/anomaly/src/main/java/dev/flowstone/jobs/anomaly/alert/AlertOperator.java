// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.alert;

import dev.flowstone.jobs.anomaly.pane.PanePart;
import dev.flowstone.jobs.anomaly.pane.Subject;
import java.util.stream.Stream;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;

/**
 * Runs an {@link AlertFunction} and tells it how many subjects it has when it begins: only the
 * state itself knows, of however many subtasks it was put together.
 */
public final class AlertOperator extends KeyedProcessOperator<Subject, PanePart, Alert> {
  private static final long serialVersionUID = 1L;

  /**
   * An operator of each subtask.
   *
   * @param mostSubjects that one subtask knows at a time
   */
  public AlertOperator(int mostSubjects) {
    super(new AlertFunction(mostSubjects));
  }

  @Override
  public void open() throws Exception {
    super.open();
    try (Stream<Subject> known =
        this.<Subject>getKeyedStateBackend()
            .getKeys(AlertFunction.STANDING, VoidNamespace.INSTANCE)) {
      ((AlertFunction) userFunction).knows((int) known.count());
    }
  }

  public long packetsWithoutRoom() {
    return ((AlertFunction) userFunction).packetsWithoutRoom();
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import dev.flowstone.jobs.anomaly.alert.Alert;
import dev.flowstone.jobs.anomaly.alert.AlertOperator;
import dev.flowstone.jobs.anomaly.alert.SynWindow;
import dev.flowstone.jobs.anomaly.pane.PaneOperator;
import dev.flowstone.jobs.anomaly.pane.PanePart;
import dev.flowstone.jobs.anomaly.pane.Subject;
import dev.flowstone.operators.ruled.RuledBlock;
import dev.flowstone.results.Result;
import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;

/** What the detectors of any number of rules find in their packets. */
public record Anomalies(DataStream<Alert> alerts, DataStream<SynWindow> synWindows) {

  /** For the addresses that are watched, where nobody asks for more or less. */
  public static final long USUAL_WATCHED_BYTES = 64 << 20;

  /** Of packets whose rules name detectors, wherever their flows are. */
  public static Anomalies of(DataStream<RuledBlock> packets) {
    return of(packets, USUAL_WATCHED_BYTES);
  }

  /**
   * The same with another bound.
   *
   * @param watchedBytes of the heap of each subtask for those that are watched
   */
  public static Anomalies of(DataStream<RuledBlock> packets, long watchedBytes) {
    var alerts =
        packets
            .transform("Detectors", TypeInformation.of(PanePart.class), new PaneOperator())
            .setParallelism(packets.getParallelism())
            .uid("anomaly-panes")
            .keyBy(PanePart::subject, TypeInformation.of(Subject.class))
            .transform("Alerts", TypeInformation.of(Alert.class), new AlertOperator(watchedBytes))
            .uid("alerts");
    return new Anomalies(alerts, alerts.getSideOutput(AlertOperator.SYN_WINDOWS));
  }

  /** Both, as results are sent. */
  public List<DataStream<? extends Result>> results() {
    return List.of(synWindows, alerts);
  }
}

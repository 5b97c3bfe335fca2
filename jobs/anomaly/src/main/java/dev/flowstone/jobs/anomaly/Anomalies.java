// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import dev.flowstone.jobs.anomaly.alert.Alert;
import dev.flowstone.jobs.anomaly.alert.AlertFunction;
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

  /** Of packets whose rules name detectors, wherever their flows are. */
  public static Anomalies of(DataStream<RuledBlock> packets) {
    var alerts =
        packets
            .transform("Panes", TypeInformation.of(PanePart.class), new PaneOperator())
            .setParallelism(packets.getParallelism())
            .uid("anomaly-panes")
            .keyBy(PanePart::subject, TypeInformation.of(Subject.class))
            .process(new AlertFunction(), TypeInformation.of(Alert.class))
            .name("Alerts")
            .uid("anomaly-alerts");
    return new Anomalies(alerts, alerts.getSideOutput(AlertFunction.SYN_WINDOWS));
  }

  /** Both, as results are sent. */
  public List<DataStream<? extends Result>> results() {
    return List.of(synWindows, alerts);
  }
}

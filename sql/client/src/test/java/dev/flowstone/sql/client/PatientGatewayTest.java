// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ResultKind;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.client.gateway.SingleSessionManager;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.gateway.api.endpoint.EndpointVersion;
import org.apache.flink.table.gateway.api.operation.OperationHandle;
import org.apache.flink.table.gateway.api.results.ResultSet;
import org.apache.flink.table.gateway.api.results.ResultSet.ResultType;
import org.apache.flink.table.gateway.api.results.ResultSetImpl;
import org.apache.flink.table.gateway.api.session.SessionEnvironment;
import org.apache.flink.table.gateway.api.session.SessionHandle;
import org.apache.flink.table.gateway.service.context.DefaultContext;
import org.apache.flink.table.gateway.service.session.SessionManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The client fetches without a pause, so the gateway's pauses limit the number of requests. */
@Timeout(60)
class PatientGatewayTest {
  private static final int FETCHES = 5;

  private final List<Long> pauses = new ArrayList<>();
  private final SessionManager sessions =
      new SingleSessionManager(new DefaultContext(new Configuration(), List.of()));
  private final PatientGateway.Service gateway = new PatientGateway.Service(sessions, pauses::add);
  private SessionHandle session;

  @BeforeEach
  void open() {
    sessions.start();
    session =
        gateway.openSession(
            SessionEnvironment.newBuilder()
                .setSessionEndpointVersion(new EndpointVersion() {})
                .build());
  }

  @AfterEach
  void close() {
    sessions.stop();
  }

  @Test
  void shouldPauseAtEachFetchUntilThereAreRows() {
    CountDownLatch rows = new CountDownLatch(1);
    OperationHandle query =
        gateway.submitOperation(
            session,
            () -> {
              rows.await();
              return oneRow();
            });
    for (int i = 0; i < FETCHES; i++) {
      assertThat(fetch(query).getResultType()).isEqualTo(ResultType.NOT_READY);
    }
    assertThat(pauses).isEqualTo(Collections.nCopies(FETCHES, PatientGateway.PAUSE_NS));

    rows.countDown();
    ResultSet answer;
    do {
      pauses.clear();
      answer = fetch(query);
    } while (answer.getResultType() == ResultType.NOT_READY);
    assertThat(answer.getData()).hasSize(1);
    assertThat(pauses).as("pauses at the fetch with a row").isEmpty();
  }

  private ResultSet fetch(OperationHandle query) {
    return gateway.fetchResults(session, query, 0, 10);
  }

  private static ResultSet oneRow() {
    List<RowData> rows = List.of(GenericRowData.of(1));
    return new ResultSetImpl(
        ResultType.PAYLOAD,
        1L,
        ResolvedSchema.of(Column.physical("packets", DataTypes.INT())),
        rows,
        row -> new String[] {row.toString()},
        true,
        null,
        ResultKind.SUCCESS_WITH_CONTENT);
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.jobs.endpoints.delivery.OnLostTransaction;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * What goes wrong between a wire and Kafka: what it needs, how it is done, and what must hold
 * afterwards, beyond what must hold after each of them.
 */
enum Fault {
  /** More packets come while the job is down than its rings hold. */
  JOB_KILLED_WHOSE_RINGS_ARE_TOO_SMALL {
    @Override
    void arrange(FaultScene scene) {
      scene.addTap(MortalTap.synthetic(RATE, "1m"));
      scene.runJobAsProcess();
    }

    @Override
    void strike(FaultScene scene) throws Exception {
      scene.jobProcess().kill();
      scene.jobProcess().start();
      scene.awaitCommit();
    }

    @Override
    void check(FaultScene scene, BatchLedger ledger) {
      assertThat(ledger.lost()).as("lost").isPositive().isEqualTo(scene.dropped());
    }
  },
  /**
   * What the dead tap had published is read to its end; of what it counted and did not publish any
   * more, the next tap's rings tell. Packets that it held without having counted them for a ring, a
   * batch at most, nobody can know of: they are in neither side of the sum.
   */
  TAP_KILLED {
    @Override
    void strike(FaultScene scene) throws Exception {
      scene.tap(0).kill();
      scene.tap(0).start();
      scene.tap(0).awaitPackets();
      scene.awaitCommit();
    }

    @Override
    void check(FaultScene scene, BatchLedger ledger) {
      assertThat(scene.dropped()).isZero();
    }
  },
  BROKER_KILLED {
    @Override
    void strike(FaultScene scene) throws Exception {
      scene.broker().kill();
      scene.waitOutage();
      scene.broker().startAgain();
      scene.awaitCommit();
    }
  },
  TASK_MANAGER_KILLED {
    @Override
    void arrange(FaultScene scene) throws Exception {
      super.arrange(scene);
      scene.runJobOnCluster(2);
    }

    @Override
    void strike(FaultScene scene) throws Exception {
      scene.cluster().killTaskManager();
      scene.cluster().startTaskManager();
      scene.awaitCommit();
    }

    @Override
    void check(FaultScene scene, BatchLedger ledger) throws Exception {
      super.check(scene, ledger);
      try (FlinkRest flink = new FlinkRest(scene.cluster().web())) {
        assertThat(flink.failures(flink.onlyJob())).contains("TaskManager");
      }
    }
  },
  TASK_FAILED {
    @Override
    void strike(FaultScene scene) throws Exception {
      Saboteur.failNext();
      scene.awaitSabotage();
      scene.awaitCommit();
    }
  },
  CHECKPOINT_DISK_FULL {
    @Override
    void arrange(FaultScene scene) throws Exception {
      super.arrange(scene);
      scene.keepCheckpointsOnSmallDisk();
    }

    @Override
    void strike(FaultScene scene) throws Exception {
      scene.disk().stayFull(SEVERAL_CHECKPOINTS);
      Optional<Path> latest = scene.checkpoints().newest();
      assertThat(latest).as("before").isPresent();
      scene.disk().stayFull(SEVERAL_CHECKPOINTS);
      assertThat(scene.checkpoints().newest()).as("on a full disk").isEqualTo(latest);
      scene.disk().free();
      scene.awaitCommit();
    }
  },
  /** Kafka has given up what a checkpoint took for delivered. */
  JOB_PAUSED_BEYOND_ITS_TRANSACTION_TIMEOUT {
    @Override
    void arrange(FaultScene scene) throws Exception {
      super.arrange(scene);
      scene.options().kafka.transactionTimeout = TRANSACTION_TIMEOUT;
      scene.options().kafka.onLostTransaction = OnLostTransaction.CONTINUE;
    }

    @Override
    void strike(FaultScene scene) throws Exception {
      Saboteur.holdNextCheckpoint();
      scene.awaitSabotage();
      scene.awaitNoTransaction();
      Saboteur.reset();
      scene.awaitCommit();
    }

    @Override
    void check(FaultScene scene, BatchLedger ledger) {
      assertThat(scene.dropped()).isZero();
      assertThat(ledger.lost()).as("lost").isPositive();
    }
  },
  /** The capture has the steps in it. */
  CLOCK_STEPPED {
    @Override
    void arrange(FaultScene scene) throws Exception {
      scene.addTapOfSteppedCapture(RATE);
    }

    @Override
    void strike(FaultScene scene) {}

    @Override
    void check(FaultScene scene, BatchLedger ledger) throws Exception {
      super.check(scene, ledger);
      assertThat(ledger.timeSumNs()).as("times").isEqualTo(scene.timeSumNs().orElseThrow());
    }
  },
  RESCALED {
    @Override
    void strike(FaultScene scene) throws Exception {
      for (int parallelism : new int[] {2, 1}) {
        scene.job().stopWithSavepoint();
        scene.job().start(parallelism);
        scene.awaitCommit();
      }
    }
  },
  /** The rings of one are smaller than what comes between two checkpoints. */
  ONE_OF_TWO_TAPS_LOSES {
    @Override
    void arrange(FaultScene scene) throws Exception {
      super.arrange(scene);
      scene.addTap(MortalTap.synthetic(RATE, "64k"));
    }

    @Override
    void strike(FaultScene scene) {}

    @Override
    void check(FaultScene scene, BatchLedger ledger) {
      assertThat(scene.tap(0).dropped()).isZero();
      assertThat(ledger.lost()).isPositive().isEqualTo(scene.tap(1).dropped());
    }
  };

  private static final int RATE = 50_000;

  /**
   * For a minute and a half at that rate: on a machine that has a bad day a broker that was killed,
   * stayed away for ten seconds and was waited for by a job took half a minute.
   */
  private static final String ROOMY = "256m";

  private static final Duration SEVERAL_CHECKPOINTS = Duration.ofSeconds(1);

  /** Longer than any checkpoint takes. */
  private static final Duration TRANSACTION_TIMEOUT = Duration.ofSeconds(3);

  /** What is needed; a tap that has room unless something else is said. */
  void arrange(FaultScene scene) throws Exception {
    scene.addTap(MortalTap.synthetic(RATE, ROOMY));
  }

  /** Does it; packets come meanwhile. */
  abstract void strike(FaultScene scene) throws Exception;

  /** What holds for this one; that nothing is lost unless something else is said. */
  void check(FaultScene scene, BatchLedger ledger) throws Exception {
    assertThat(scene.dropped()).isZero();
    assertThat(ledger.lost()).as("lost").isZero();
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FlowBlocksTest {
  private static final long SEQUENCES = 0xFFFF_FFFF_FFFF_FFFEL;

  @Test
  void shouldStartOverBehindTheLastSequenceNumberOfOneSideAlone() {
    assertThat(FlowBlocks.advance(FlowBlocks.TALKER, SEQUENCES, 2))
        .isEqualTo(0x0000_0001_FFFF_FFFEL);
    assertThat(FlowBlocks.advance(FlowBlocks.ANSWERER, SEQUENCES, 2))
        .isEqualTo(0xFFFF_FFFF_0000_0000L);
  }

  @Test
  void shouldShowEachSideItsOwnSequenceNumberFirst() {
    assertThat(FlowBlocks.seenFrom(FlowBlocks.TALKER, SEQUENCES)).isEqualTo(SEQUENCES);
    assertThat(FlowBlocks.seenFrom(FlowBlocks.ANSWERER, SEQUENCES))
        .isEqualTo(0xFFFF_FFFE_FFFF_FFFFL);
  }

  @Test
  void shouldTallySidesApartAndTogether() {
    FlowBlocks blocks = new FlowBlocks(2);
    int block = FlowBlocks.block(1);
    blocks.addToTallies(block, FlowBlocks.ANSWERER, 100, 64);
    blocks.addToTallies(block, FlowBlocks.TALKER, 107, 1514);
    blocks.addToTallies(block, FlowBlocks.TALKER, 110, 1514);
    blocks.addToTallies(block, FlowBlocks.ANSWERER, 130, 64);
    assertThat(blocks.figures(block, FlowBlocks.TALKER))
        .isEqualTo(new TallyFigures(2, 3028, 107, 110, 3, 3));
    assertThat(blocks.figures(block, FlowBlocks.ANSWERER))
        .isEqualTo(new TallyFigures(2, 128, 100, 130, 30, 30));
    assertThat(blocks.figures(block)).isEqualTo(new TallyFigures(4, 3156, 100, 130, 3, 20));
    assertThat(blocks.figures(FlowBlocks.block(0)).packets()).isZero();
    blocks.resetTallies(block);
    assertThat(blocks.packets(block, FlowBlocks.TALKER)).isZero();
  }
}

# SPDX-License-Identifier: Apache-2.0
"""A stream and a position lead to one packet, or to none, and never to another one."""

import numpy as np
import pytest
from conftest import with_header

import flowstone

STREAM, FIRST, COUNT = 0x7688368D24B0DC00, 1_000, 240


@pytest.fixture
def whole(message):
    """A message of positions without a gap, as a ring's packets have them."""
    return with_header(message, stream=STREAM, first_position=FIRST, position_span=COUNT - 1)


@pytest.fixture
def others(message):
    """Messages that begin later, are of another ring, or tell of losses alone."""
    later = with_header(message, stream=STREAM, first_position=FIRST + COUNT, position_span=COUNT - 1)
    elsewhere = with_header(message, stream=STREAM + 1, first_position=FIRST, position_span=COUNT - 1)
    alone = with_header(message, stream=STREAM, first_position=FIRST + 7, body_kind=1, count=0, position_span=0, body=b"")
    return [later, elsewhere, alone]


@pytest.mark.parametrize("step", [0, 1, 7, COUNT - 1])
def test_a_place_is_that_of_one_packet(whole, others, step):
    expected = flowstone.read_batch(whole)[step : step + 1]
    for messages in ([whole, *others], [*others, whole]):
        packets = flowstone.read_batches(messages)
        assert packets.at(STREAM, FIRST + step).to_array().tobytes() == expected.tobytes()


def test_results_name_streams_in_hexadecimal_digits(whole, others):
    packets = flowstone.read_batches([*others, whole])
    found = packets.at("7688368d24b0dc00", np.int64(FIRST + 3))
    assert found.to_array().tobytes() == packets.at(STREAM, FIRST + 3).to_array().tobytes() and len(found) == 1
    assert found.batches["stream"][found.batch_of] == STREAM


@pytest.mark.parametrize(("stream", "position"), [(STREAM, FIRST - 1), (STREAM, FIRST + COUNT), (STREAM + 1, FIRST), (STREAM, 0)])
def test_a_place_that_was_not_read_has_no_packet(whole, stream, position):
    assert len(flowstone.read_batches([whole]).at(stream, position)) == 0


def test_a_packet_that_was_told_twice_is_there_twice(whole):
    assert len(flowstone.read_batches([whole, whole]).at(STREAM, FIRST + 5)) == 2


def test_tables_put_together_know_places(whole, others):
    packets = flowstone.concatenate([flowstone.read_batches(others), flowstone.read_batches([whole])])
    expected = flowstone.read_batch(whole)[5:6]
    assert packets.at(STREAM, FIRST + 5).to_array().tobytes() == expected.tobytes()


@pytest.mark.parametrize("part", [slice(1, None), slice(None, -1), [0, 1, 2], slice(0, 0)])
def test_a_part_of_a_table_does_not_guess(whole, part):
    with pytest.raises(ValueError, match="of a batch of 240 packets .* are here, or not in their order: ask the table that was read"):
        flowstone.read_batches([whole])[part].at(STREAM, FIRST + 1)


def test_another_order_is_seen_where_batches_lie_in_one_another(whole, others):
    packets = flowstone.read_batches([whole, *others])
    mixed = packets[np.argsort(packets["time_ns"], kind="stable")]
    with pytest.raises(ValueError, match="not in their order"):
        mixed.at(STREAM, FIRST + 1)


def test_of_chosen_packets_the_first_and_the_last_have_a_place(message):
    chosen = with_header(message, stream=STREAM, first_position=FIRST, position_span=COUNT + 9)
    packets, expected = flowstone.read_batches([chosen]), flowstone.read_batch(chosen)
    assert packets.at(STREAM, FIRST).to_array().tobytes() == expected[:1].tobytes()
    assert packets.at(STREAM, FIRST + COUNT + 9).to_array().tobytes() == expected[-1:].tobytes()
    with pytest.raises(ValueError, match="240 packets chosen from 250 positions does not say which these are: rings do"):
        packets.at(STREAM, FIRST + 1)

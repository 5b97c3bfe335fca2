# SPDX-License-Identifier: Apache-2.0
"""Packets, results and rings of Flowstone in NumPy, pandas, Arrow and Parquet.

>>> import flowstone
>>> demo = flowstone.find_demo()                             # doctest: +SKIP
>>> packets = flowstone.consume(demo.kafka)                  # doctest: +SKIP
>>> flowstone.by_flow(packets).head()                        # doctest: +SKIP

pandas, pyarrow and confluent-kafka are imported by what needs them, when it is called.
"""

from .addresses import format_address, format_addresses, parse_address
from .batch import BatchError, BatchHeader, read_batch, read_header, read_records
from .crc32c import crc32c
from .demo import Demo, NoDemo, find_demo
from .frames import read_parquet, write_parquet
from .groups import by_flow, by_prefix, by_protocol
from .histograms import Histogram, HistogramError, histogram_matrix, histograms_of, merge
from .kafka import consume, packets_between, result_messages, results, stream
from .packets import COLUMNS, GROUP_COLUMNS, Packets, concatenate, read_batches
from .questdb import QuestDbError, query, table
from .ringfile import Ring, RingCounters, RingError, read_ring, rings

__all__ = [
    "COLUMNS",
    "GROUP_COLUMNS",
    "BatchError",
    "BatchHeader",
    "Demo",
    "Histogram",
    "HistogramError",
    "NoDemo",
    "Packets",
    "QuestDbError",
    "Ring",
    "RingCounters",
    "RingError",
    "by_flow",
    "by_prefix",
    "by_protocol",
    "concatenate",
    "consume",
    "crc32c",
    "find_demo",
    "format_address",
    "format_addresses",
    "histogram_matrix",
    "histograms_of",
    "merge",
    "packets_between",
    "parse_address",
    "query",
    "read_batch",
    "read_batches",
    "read_header",
    "read_parquet",
    "read_records",
    "read_ring",
    "result_messages",
    "results",
    "rings",
    "stream",
    "table",
    "write_parquet",
]

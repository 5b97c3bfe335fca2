# SPDX-License-Identifier: Apache-2.0
"""Reads Flowstone packet batches (one Kafka message each) into NumPy arrays.

>>> import flowstone
>>> header = flowstone.read_header(message)
>>> packets = flowstone.read_batch(message)
>>> packets["time_ns"], packets["frame_length"]
"""

from .addresses import format_address, format_addresses
from .batch import BatchError, BatchHeader, read_batch, read_header, read_records
from .crc32c import crc32c

__all__ = [
    "BatchError",
    "BatchHeader",
    "crc32c",
    "format_address",
    "format_addresses",
    "read_batch",
    "read_header",
    "read_records",
]

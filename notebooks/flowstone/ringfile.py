# SPDX-License-Identifier: Apache-2.0
"""Ring files, read while a tap fills them. A reader here maps them read-only, takes no lane and holds no space.

It follows docs/formats/ring-protocol.md as an observing reader: it copies a run of slots and then looks whether the producer may
have written there meanwhile. Such a copy is thrown away, and what was in it is counted as lost.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import threading
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import numpy as np

from . import layouts
from .arrays import Array, Names
from .batch import BatchHeader, decode_records, descriptor_part
from .packets import Packets, PacketsBuilder

OLDEST, LATEST = "oldest", "latest"

_HEADER_BYTES = layouts.RING_FILE_HEADER_HEADER_BYTES
_SLOT_BYTES = layouts.PACKET_RECORD.itemsize
_INDEX_ENTRIES = layouts.RING_FILE_HEADER_CONTROL_INDEX_ENTRIES
_RUN_SLOTS = 1 << 16
_COUNTERS = ("written_packets", "dropped_packets", "lost_recorded", "lost_before_tap_recorded", "lost_before_tap", "offered_bytes")


class RingError(ValueError):
    """A file that is no ring, or a ring that is damaged."""


@dataclass(frozen=True)
class RingCounters:
    """Counters of a ring since its tap began; the page of the ring file explains each. offered = written + dropped."""

    offered_packets: int
    written_packets: int
    dropped_packets: int
    lost_recorded: int
    lost_before_tap: int
    lost_before_tap_recorded: int
    offered_bytes: int


class Ring:
    """One ring file, of which each read() gives what came since the one before.

    since: "oldest", all that the ring still has; or "latest", what follows the latest TIME record, which is at most a second
    or 65,536 records back. A tap that is started again makes new files: then replaced says so, the next read() gives the rest with
    all that this file tells of losses, and the ring is opened anew. Use it as a context manager, or close it.
    """

    def __init__(self, path: str | os.PathLike[str], since: str = OLDEST, columns: Names | None = None):
        if since not in (OLDEST, LATEST):
            raise ValueError(f"since must be {OLDEST!r} or {LATEST!r}: {since!r}")
        self.path = Path(path)
        self._builder = PacketsBuilder(columns)
        self._map, self._identity = _mapped(self.path)
        self._header = np.frombuffer(self._map, dtype=layouts.RING_FILE_HEADER, count=1)
        self._require_ring()
        self.slots = 1 << self._load("slots_log2")
        """How many records the ring has room for."""
        self._slots = np.frombuffer(self._map, dtype=layouts.PACKET_RECORD, count=self.slots, offset=_HEADER_BYTES)
        self.number = self._load("ring")
        self.ring_count = self._load("ring_count")
        self.stream = self._load("stream")
        self.incarnation = self._load("incarnation")
        self.tap_name = self._header["tap_name"][0].tobytes().rstrip(b"\0").decode(errors="replace")
        self.overrun_slots = 0
        """Records that the tap had written over before they were copied."""
        self.next_position = self._latest_time() if since == LATEST else self._oldest()
        """Of the next record that read() looks at."""
        self._time: Array | None = None  # the TIME record whose time base and trust hold at the next position
        begun = self.next_position == 0
        self._offered: int | None = 0 if begun else None  # packets that are accounted for: read, or told as lost
        self._before_tap: int | None = 0 if begun else None
        self._lost = self._lost_before_tap = 0  # not yet told with any packets
        self._is_closed_off = False

    def read(self, most_records: int | None = None) -> Packets:
        """Packets since the last read, of most_records records at most, with what was lost before them.

        lost_before counts what the full ring dropped and what this reader missed. Records between the oldest place and the
        first TIME record after it have no time yet: they are passed over, and after an overrun counted as lost. Of a ring that has
        ended or was replaced, the last read tells also what the tap found no room, or no more time, for a record of.
        """
        final = self.ended or self.replaced  # before the position, which is final then
        position = self.next_position if self._is_closed_off else self._load("position")
        end = position if most_records is None else min(position, self.next_position + most_records)
        while self.next_position < end:
            records = self._copy(end)
            if records is not None:
                self._take(records)
        if final and self.next_position >= position and not self._is_closed_off:
            self._close_off()
        if self._lost > 0 or self._lost_before_tap > 0:
            self._add(np.empty(0, dtype=layouts.PACKET_RECORD), self.next_position)
        return self._builder.build()

    @property
    def counters(self) -> RingCounters:
        """What the tap counts, now."""
        counters = {name: self._load(name) for name in _COUNTERS}
        return RingCounters(offered_packets=self._load("offered_packets"), **counters)  # last: never less than written

    @property
    def ended(self) -> bool:
        """The tap has finished: no more comes than what can be read now."""
        return self._load("state") == layouts.RingState.ENDED

    @property
    def replaced(self) -> bool:
        """The path has another file by now: a tap was started again, and what it writes is not here.

        A tap makes it when no other one has the folder, so nothing is written here any more. While the path has no file at all, this
        ring may still be written.
        """
        try:
            return _identity(os.stat(self.path)) != self._identity
        except FileNotFoundError:
            return False

    def close(self) -> None:
        """Gives the mapping back. Packets that were read stay."""
        self._header = self._slots = np.empty(0, dtype=np.uint8)
        self._map.close()

    def __enter__(self) -> Ring:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"ring {self.number} of {self.ring_count} of tap {self.tap_name!r}: {self.path}"

    def _load(self, field: str) -> int:
        if self._map.closed:
            raise ValueError(f"{self.path} was closed by this reader: open it anew")
        return int(self._header[field][0])

    def _copy(self, end: int) -> Array | None:
        """Slots from the next position on; None: they were written over, and the next position is another one now."""
        position = self.next_position
        index = position % self.slots
        length = min(end - position, _RUN_SLOTS, self.slots - index)
        records = self._slots[index : index + length].copy()
        _fence()
        reserved = self._load("reserved_position")
        if reserved - position > self.slots:
            # Not the oldest, which a tap at full speed has written over before anybody has copied it.
            self.next_position = max(position, min(reserved - self.slots * 3 // 4, self._load("position")))
            self.overrun_slots += self.next_position - position
            self._time = None
            return None
        lap = position // self.slots
        found = descriptor_part(records["descriptor"], "generation")
        wrong = np.flatnonzero(found != lap % layouts.PACKET_RECORD_GENERATIONS + 1)
        if len(wrong) > 0:
            at, generation = position + int(wrong[0]), found[wrong[0]]
            raise RingError(f"{self.path}: the record at position {at} is not of this lap of the ring (generation {generation})")
        return records

    def _take(self, records: Array) -> None:
        """Goes from one TIME or LOSS record to the next."""
        kinds = descriptor_part(records["descriptor"], "kind")
        begin = 0
        for at in np.flatnonzero(kinds >= layouts.RecordKind.TIME).tolist():
            if at > begin:
                self._add(records[begin:at], self.next_position + begin)
            control = records[at : at + 1]
            if kinds[at] == layouts.RecordKind.TIME:
                self._take_time(control.view(layouts.TIME_RECORD)[0])
            elif self._time is not None:
                self._take_loss(control.view(layouts.LOSS_RECORD)[0])
            begin = at + 1
        if begin < len(records):
            self._add(records[begin:], self.next_position + begin)
        self.next_position += len(records)

    def _take_time(self, time: Array) -> None:
        """Its counters tell what was missed, whatever stood where nothing was read."""
        offered, before_tap = int(time["offered_packets"]), int(time["lost_before_tap"])
        self._lost += 0 if self._offered is None else offered - self._offered
        self._lost_before_tap += 0 if self._before_tap is None else before_tap - self._before_tap
        self._offered, self._before_tap, self._time = offered, before_tap, time

    def _take_loss(self, loss: Array) -> None:
        lost, before_tap = int(loss["lost_packets"]), int(loss["lost_before_tap"])
        self._lost += lost
        self._lost_before_tap += before_tap
        self._offered = (self._offered or 0) + lost
        self._before_tap = (self._before_tap or 0) + before_tap

    def _close_off(self) -> None:
        """What no record tells, the header of a ring that nobody writes any more does; once."""
        self._is_closed_off = True
        if self._offered is not None and self._before_tap is not None:
            offered, before_tap = self._load("offered_packets"), self._load("lost_before_tap")
            self._lost += offered - self._offered
            self._lost_before_tap += before_tap - self._before_tap
            self._offered, self._before_tap = offered, before_tap

    def _add(self, records: Array, position: int) -> None:
        if self._time is None and not self._is_closed_off:
            return
        if self._time is None:  # losses at the end of a ring that told no time
            time_ns, is_trusted = self._load("created_ns"), False
        else:
            time_ns, is_trusted = int(self._time["time_ns"]), bool(self._time["clock_trusted"])
        header = BatchHeader(
            version=layouts.PACKET_BATCH_HEADER_VERSION,
            body_kind=layouts.BatchBody.RAW,
            count=len(records),
            ring=self.number,
            stream=self.stream,
            rule=0,
            incarnation=self.incarnation,
            first_position=position,
            position_span=max(0, len(records) - 1),
            sampling_weight=1,
            time_base_ns=time_ns,
            lost_before=self._lost,
            lost_before_tap=self._lost_before_tap,
            clock_trusted=is_trusted,
        )
        self._builder.add(decode_records(records, self._builder.wanted), header)
        self._offered = (self._offered or 0) + len(records)
        self._lost = self._lost_before_tap = 0

    def _oldest(self) -> int:
        reserved = self._load("reserved_position")
        return min(max(0, reserved - self.slots), self._load("position"))

    def _latest_time(self) -> int:
        """Position of the latest TIME record that is published; the oldest where the index names none."""
        position, count = self._load("position"), self._load("control_count")
        for entry in range(count - 1, max(0, count - _INDEX_ENTRIES) - 1, -1):
            at = int(self._header["control_index"][0][entry % _INDEX_ENTRIES])
            descriptor = self._slots["descriptor"][at % self.slots : at % self.slots + 1]
            if at < position and descriptor_part(descriptor, "kind")[0] == layouts.RecordKind.TIME:
                return at
        return self._oldest()

    def _require_ring(self) -> None:
        magic, version, content = (self._load(name) for name in ("magic", "abi_version", "content"))
        if magic != layouts.RING_FILE_HEADER_MAGIC:
            raise RingError(f"{self.path} is not a ring file")
        if version != layouts.RING_FILE_HEADER_ABI_VERSION:
            raise RingError(f"{self.path} has ring version {version}, this reader knows {layouts.RING_FILE_HEADER_ABI_VERSION}")
        if content != layouts.RingContent.PACKET_RECORDS:
            raise RingError(f"{self.path} holds content {content}, not packet records")
        slots_log2, ring, ring_count = (self._load(name) for name in ("slots_log2", "ring", "ring_count"))
        if not layouts.RING_FILE_HEADER_LEAST_SLOTS_LOG2 <= slots_log2 <= layouts.RING_FILE_HEADER_MOST_SLOTS_LOG2:
            raise RingError(f"{self.path} says that it has 2^{slots_log2} slots")
        if ring >= ring_count:
            raise RingError(f"{self.path} says that it is ring {ring} of {ring_count}")
        needed = _HEADER_BYTES + (_SLOT_BYTES << slots_log2)
        if len(self._map) < needed:
            raise RingError(f"{self.path} has {len(self._map)} bytes where 2^{slots_log2} slots take {needed}")


def read_ring(path: str | os.PathLike[str], columns: Names | None = None) -> Packets:
    """The packets that a ring file has now."""
    with Ring(path, columns=columns) as ring:
        return ring.read()


def rings(folder: str | os.PathLike[str], since: str = OLDEST, columns: Names | None = None) -> list[Ring]:
    """The rings of a folder, in the order of their numbers."""
    paths = sorted(Path(folder).glob("ring-*.ring"))
    if not paths:
        raise RingError(f"{folder} has no ring files (ring-000.ring): is that where a tap fills them?")
    with contextlib.ExitStack() as opened:
        found = [opened.enter_context(Ring(path, since, columns)) for path in paths]
        opened.pop_all()  # from here on they are the caller's
    return found


def _mapped(path: Path) -> tuple[mmap.mmap, tuple[int, int]]:
    """The file, and which one it is."""
    with path.open("rb") as file:
        said = os.fstat(file.fileno())
        length = said.st_size
        if length < _HEADER_BYTES:
            raise RingError(f"{path} has {length} bytes, fewer than the header of a ring file")
        return mmap.mmap(file.fileno(), length, access=mmap.ACCESS_READ), _identity(said)


def _identity(said: os.stat_result) -> tuple[int, int]:
    return said.st_dev, said.st_ino


_LOCKS = (threading.Lock(), threading.Lock())


def _fence() -> None:
    """What is loaded after this was not loaded before what came before this: a lock orders both sides only in pairs."""
    for lock in _LOCKS:
        with lock:
            pass

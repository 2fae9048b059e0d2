# SPDX-License-Identifier: GPL-3.0-or-later
"""Header, sizes, checksum, and the proof that no sum can overflow."""

from libc.stdint cimport INT16_MAX, INT16_MIN, INT32_MAX, INT32_MIN
from libc.stdlib cimport calloc, free

from ..board.types cimport *
from .network cimport *
from functools import lru_cache

cdef enum:
    MAX_HEADER = 1 << 16  # bytes
    CRC_SIZE = 4

cdef str FIRST_LINE = "coachwhip network 2"
cdef tuple KINDS = ("residual", "pure")


cdef class Network:
    """A network, read and proved: `Network(data)`, where `data` are the bytes of its file. It never changes; engines share it.

    Raises ValueError with a message if the file cannot be used, or MemoryError. Another process gets the bytes and reads them.
    """

    def __cinit__(self, bytes data not None):
        header, start = _header(data)
        _check_size(len(data), start, header["hidden"])
        _check_crc(data)
        self.data = data
        self.c.units = (header["hidden"] + UNIT_BLOCK - 1) // UNIT_BLOCK * UNIT_BLOCK
        self.c.residual = header["kind"] == "residual"
        self.c.scale = header["scale"]
        _copy_numbers(&self.c, <const uint8_t*>data + <Py_ssize_t>start, header["hidden"])
        _check_sums(&self.c)
        for output in range(OUTPUTS):
            _check_output(&self.c, header["hidden"], output)

    def __dealloc__(self):
        free(self.c.memory)

    def __eq__(self, other):
        return isinstance(other, Network) and self.data == other.data

    def __hash__(self):
        return hash(self.data)

    def __reduce__(self):
        return _read_once, (self.data,)


@lru_cache(1)  # each piece of work that a process gets brings it again
def _read_once(data):
    return Network(data)


# --- Form ---


cdef tuple _header(bytes data):
    cdef Py_ssize_t end
    cdef Py_ssize_t begin = len(FIRST_LINE) + 1
    import json

    if not data.startswith(f"{FIRST_LINE}\n".encode()):
        raise ValueError(f"this is not a network: its first line is not {FIRST_LINE!r}")  # and not shown: it may be any file's
    end = data.find(b"\n", begin, begin + MAX_HEADER)
    if end < 0:
        raise ValueError("the network ends inside its header" if len(data) < MAX_HEADER else "the network's header has no end")
    try:
        header = json.loads(data[begin:end])
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict):
        raise ValueError("the network's second line is not a JSON object")
    _check_header(header)
    return header, end + 1


cdef int _check_header(dict header) except -1:
    for name in ("kind", "inputs", "hidden", "outputs", "qa", "qb", "scale"):
        if name not in header:
            raise ValueError(f"the network's header has no {name!r}")
    if header["kind"] not in KINDS:
        raise ValueError(f"the network's kind is {_short(header['kind'])}, and must be one of {', '.join(KINDS)}")
    for name, wanted in (("inputs", <int>INPUTS), ("outputs", <int>OUTPUTS), ("qa", <int>QA), ("qb", <int>QB)):
        if type(header[name]) is not int or header[name] != wanted:
            raise ValueError(f"the network's {name!r} is {_short(header[name])}, and must be {wanted}")
    for name, least, most in (("hidden", <int>HIDDEN_STEP, <int>MAX_HIDDEN), ("scale", 1, <int>MAX_SCALE)):
        if type(header[name]) is not int or not least <= header[name] <= most:
            raise ValueError(f"the network's {name!r} is {_short(header[name])}, and must be from {least} to {most}")
    if header["hidden"] % HIDDEN_STEP:
        raise ValueError(f"the network's 'hidden' is {header['hidden']}, and must be a multiple of {<int>HIDDEN_STEP}")
    return 0


cdef str _short(value):
    return repr(value)[:40]


cdef int _check_size(Py_ssize_t size, Py_ssize_t start, Py_ssize_t hidden) except -1:
    cdef Py_ssize_t rows = INPUTS + 1 + 2 * OUTPUTS
    cdef Py_ssize_t wanted = start + rows * hidden * sizeof(int16_t) + OUTPUTS * sizeof(int32_t) + CRC_SIZE
    if size < wanted:
        raise ValueError(f"the network is truncated: it has {size} bytes, and {wanted} are needed for {hidden} units")
    if size > wanted:
        raise ValueError(f"the network is too long: it has {size} bytes, and {hidden} units take {wanted}")
    return 0


cdef int _check_crc(bytes data) except -1:
    cdef Py_ssize_t end = len(data) - CRC_SIZE
    from zlib import crc32

    if crc32(memoryview(data)[:end]) != int.from_bytes(data[end:], "little"):
        raise ValueError("the network is damaged: its checksum is wrong")
    return 0


# --- Numbers ---


cdef inline int16_t _int16(const uint8_t* at) noexcept nogil:
    return <int16_t>(at[0] | (at[1] << 8))


cdef inline int32_t _int32(const uint8_t* at) noexcept nogil:
    return <int32_t>(at[0] | (<uint32_t>at[1] << 8) | (<uint32_t>at[2] << 16) | (<uint32_t>at[3] << 24))


cdef const uint8_t* _copy_rows(int16_t* out, const uint8_t* at, int rows, int hidden, int units) noexcept nogil:
    """Copy rows of `hidden` numbers to rows of `units`. Returns where the next number is."""
    cdef int row, i
    for row in range(rows):
        for i in range(hidden):
            out[row * units + i] = _int16(at)
            at += sizeof(int16_t)
    return at


cdef int _copy_numbers(NetworkC* network, const uint8_t* at, int hidden) except -1:
    """Copy the numbers into an aligned block of zeros. Raises MemoryError."""
    cdef int units = network.units
    cdef int16_t* rows
    cdef int i
    network.memory = calloc(1, (ROWS + 1 + 2 * OUTPUTS) * units * sizeof(int16_t) + ALIGNMENT)
    if network.memory == NULL:
        raise MemoryError("no memory for a network")
    rows = <int16_t*>aligned(network.memory)
    at = _copy_rows(rows, at, INPUTS // 2, hidden, units)
    at = _copy_rows(rows + SIDE_ROWS * units, at, INPUTS // 2, hidden, units)
    at = _copy_rows(rows + ROWS * units, at, 1 + 2 * OUTPUTS, hidden, units)
    for i in range(OUTPUTS):
        network.output_bias[i] = _int32(at + i * <int>sizeof(int32_t))
    network.feature_weights = rows
    network.bias = rows + ROWS * units
    network.output = rows + (ROWS + 1) * units
    return 0


# --- Proof that no sum can overflow ---


cdef int _largest_sum(const NetworkC* network, int unit, int sign) noexcept nogil:
    """Return a bound of the sum of a unit, times `sign` (1 or -1): its bias and the best piece on each of MAX_PIECES squares."""
    cdef int[64] best
    cdef int total = sign * network.bias[unit]
    cdef int everywhere = total
    cdef int sq, kind, value, top, _
    for sq in range(64):
        best[sq] = 0
        for kind in range(ROWS // 64):  # rows of no piece are 0
            value = sign * network.feature_weights[(64 * kind + sq) * network.units + unit]
            if value > best[sq]:
                best[sq] = value
        everywhere += best[sq]
    if everywhere <= INT16_MAX:  # even with a piece on every square
        return everywhere
    for _ in range(MAX_PIECES):
        top = 0
        for sq in range(64):
            if best[sq] > best[top]:
                top = sq
        total += best[top]
        best[top] = 0
    return total


cdef int _check_sums(const NetworkC* network) except -1:
    cdef int unit, low, high
    for unit in range(network.units):
        high = _largest_sum(network, unit, 1)
        low = -_largest_sum(network, unit, -1)
        if high > INT16_MAX or low < INT16_MIN:
            raise ValueError(
                f"the network's unit {unit} can overflow: with {<int>MAX_PIECES} pieces its sum may reach"
                f" {high if high > INT16_MAX else low}, and {INT16_MIN} to {INT16_MAX} is possible"
            )
    return 0


cdef int _check_output(const NetworkC* network, int hidden, int output) except -1:
    """Check the bounds of an output layer: every product, and every sum in any order of addition."""
    cdef int64_t[2] sums = [0, 0]  # of the positive and of the negative weights
    cdef int64_t score
    cdef int64_t bias = network.output_bias[output]
    cdef int side, unit, weight
    for side in range(2):
        for unit in range(hidden):
            weight = network.output[(2 * output + side) * network.units + unit]
            if not -MAX_OUTPUT_WEIGHT <= weight <= MAX_OUTPUT_WEIGHT:
                raise ValueError(
                    f"the network's output weight {(2 * output + side) * hidden + unit} is {weight}, and must be from"
                    f" {-<int>MAX_OUTPUT_WEIGHT} to {<int>MAX_OUTPUT_WEIGHT}"
                )
            sums[weight < 0] += QA * QA * weight
    if sums[0] > INT32_MAX or sums[1] < INT32_MIN:
        raise ValueError("the network's output can overflow: the sum of its output weights is too large")
    score = max(sums[0], -sums[1]) // QA + max(bias, -bias)
    if score * network.scale // (QA * QB) > INT32_MAX // 2:
        raise ValueError("the network's score can overflow: its output bias or its scale is too large")
    return 0

# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes perf.data files of either byte order, in file or pipe format, from a description: what a test knows about a
recording is what it put in. Layouts: perf_event_open(2) and the kernel's perf.data-file-format.txt."""
import ctypes
import struct

IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID, RAW, BRANCH_STACK, REGS_USER, STACK_USER, WEIGHT, \
    DATA_SRC, IDENTIFIER, TRANSACTION, REGS_INTR, PHYS_ADDR, AUX, CGROUP, DATA_PAGE_SIZE, CODE_PAGE_SIZE, \
    WEIGHT_STRUCT = (1 << bit for bit in range(25))
KERNEL, USER, GUEST_KERNEL = 1, 2, 4  # misc: CPU modes
MMAP, LOST, COMM, EXIT, THROTTLE, FORK, SAMPLE, MMAP2, LOST_SAMPLES, SWITCH, KSYMBOL, CGROUP_RECORD = \
    1, 2, 3, 4, 5, 7, 9, 10, 13, 14, 17, 19
ATTR, FINISHED_ROUND, AUXTRACE, HEADER_FEATURE, COMPRESSED, COMPRESSED2 = 64, 68, 71, 80, 81, 83
CONTEXT_KERNEL, CONTEXT_USER = 2**64 - 128, 2**64 - 512
READ_ID, READ_GROUP, READ_TIMES = 4, 8, 3
FLAG_BITS = {"sample_id_all": 18, "freq": 10, "precise_ip": 15, "mmap": 8, "comm": 9, "inherit": 1}


class File:
    def __init__(self, order="<", sample_type=IP | TID | TIME | PERIOD, sample_id_all=True, attr_size=128, events=1,
                 read_format=0, ids=True, branch_sample_type=0, regs_user=0, regs_intr=0, stack_user=0, version=2,
                 event_type=1, config=0, inherit=False):
        self.order, self.sample_type, self.sample_id_all, self.attr_size = order, sample_type, sample_id_all, attr_size
        self.read_format, self.version, self.stack_user = read_format, version, stack_user
        self.branch_sample_type, self.regs_user, self.regs_intr = branch_sample_type, regs_user, regs_intr
        self.event_type, self.config, self.inherit = event_type, config, inherit
        self.ids = [[100 + event] if ids else [] for event in range(events)]
        self.data = bytearray()
        self.features = {}

    def pack(self, formats, *values):
        return struct.pack(self.order + formats, *values)

    # --- attributes ---

    def flags(self, **fields):
        """Bit-fields fill a word from its low end on little-endian machines, from its high end on big-endian ones."""
        word = 0
        for name, value in fields.items():
            width = 2 if name == "precise_ip" else 1
            shift = FLAG_BITS[name] if self.order == "<" else 64 - FLAG_BITS[name] - width
            word |= value << shift
        return word

    def attr(self, event):
        flags = self.flags(sample_id_all=int(self.sample_id_all), mmap=1, comm=1, precise_ip=1, inherit=int(self.inherit))
        whole = self.pack("IIQQQQQIIQQQQIiQIHHIIQQ", self.event_type, self.attr_size, self.config + event, 1000,
                          self.sample_type, self.read_format, flags, 0, 0, 0, 0, self.branch_sample_type, self.regs_user,
                          self.stack_user, 0, self.regs_intr, 0, 0, 0, 0, 0, 0, 0)
        return whole.ljust(self.attr_size, b"\xaa" if self.attr_size > 136 else b"\0")[:self.attr_size]

    # --- records ---

    def record(self, kind, payload, misc=0):
        payload += b"\0" * (-len(payload) % 8)
        self.data += self.pack("IHH", kind, misc, 8 + len(payload)) + payload
        return self

    def trailer(self, pid, tid, time, event=0, cpu=0):
        if not self.sample_id_all:
            return b""
        kinds, out, has = self.sample_type, b"", lambda bit: self.sample_type & bit
        out += self.pack("II", pid, tid) if has(TID) else b""
        out += self.pack("Q", time) if has(TIME) else b""
        ident = self.ids[event][0] if self.ids[event] else 0
        out += self.pack("Q", ident) if has(ID) else b""
        out += self.pack("Q", ident) if has(STREAM_ID) else b""
        out += self.pack("II", cpu, 0) if has(CPU) else b""
        return out + (self.pack("Q", ident) if kinds & IDENTIFIER else b"")

    def text(self, string):
        raw = string.encode() + b"\0"
        return raw + b"\0" * (-len(raw) % 8)

    def comm(self, pid, tid, name, time=0, is_exec=False):
        return self.record(COMM, self.pack("II", pid, tid) + self.text(name) + self.trailer(pid, tid, time),
                           0x2000 if is_exec else 0)

    def mmap(self, pid, start, size, path, offset=0, time=0, misc=USER):
        return self.record(MMAP, self.pack("IIQQQ", pid, pid, start, size, offset) + self.text(path) +
                           self.trailer(pid, pid, time), misc)

    def mmap2(self, pid, start, size, path, offset=0, time=0, build_id=b"", protection=5):
        identity = (struct.pack("BBH", len(build_id), 0, 0) + build_id.ljust(20, b"\0") if build_id
                    else self.pack("IIQQ", 8, 1, 1234, 0))
        return self.record(MMAP2, self.pack("IIQQQ", pid, pid, start, size, offset) + identity +
                           self.pack("II", protection, 2) + self.text(path) + self.trailer(pid, pid, time),
                           USER | (0x4000 if build_id else 0))

    def task(self, kind, pid, parent, time, tid=None, parent_tid=None):
        return self.record(kind, self.pack("IIIIQ", pid, parent, tid or pid, parent_tid or parent, time) +
                           self.trailer(pid, tid or pid, time))

    def ksymbol(self, address, size, name, time=0, gone=False):
        return self.record(KSYMBOL, self.pack("QIHH", address, size, 1, int(gone)) + self.text(name) +
                           self.trailer(0, 0, time))

    def round(self):
        return self.record(FINISHED_ROUND, b"")

    def sample(self, pid, ip, time, event=0, tid=None, misc=USER, period=1000, cpu=0, chain=(), addr=0, raw=b"",
               branches=(), regs=None, intr=None, stack=b"", weight=0, data_src=0, phys=0, cgroup=0, data_page=0,
               code_page=0, transaction=0, reads=()):
        ident = self.ids[event][0] if self.ids[event] else 0
        words = [(IDENTIFIER, "Q", ident), (IP, "Q", ip), (TID, "II", pid, tid or pid), (TIME, "Q", time),
                 (ADDR, "Q", addr), (ID, "Q", ident), (STREAM_ID, "Q", ident), (CPU, "II", cpu, 0), (PERIOD, "Q", period)]
        out = b"".join(self.pack(form, *values) for bit, form, *values in words if self.sample_type & bit)

        def has(bit):
            return self.sample_type & bit
        if has(READ):
            out += self.read_values(reads)
        if has(CALLCHAIN):
            out += self.pack(f"Q{len(chain)}Q", len(chain), *chain)
        if has(RAW):
            padded = raw + b"\0" * (-(4 + len(raw)) % 8)
            out += self.pack("I", len(padded)) + padded
        if has(BRANCH_STACK):
            out += self.pack("Q", len(branches)) + b"".join(self.pack("QQQ", *branch) for branch in branches)
        if has(REGS_USER):
            out += self.pack(f"Q{len(regs)}Q", 2, *regs) if regs is not None else self.pack("Q", 0)
        if has(STACK_USER):
            out += self.pack("Q", len(stack)) + (stack + self.pack("Q", len(stack)) if stack else b"")
        tail = [(WEIGHT, "Q", weight), (WEIGHT_STRUCT, "Q", weight), (DATA_SRC, "Q", data_src),
                (TRANSACTION, "Q", transaction)]
        out += b"".join(self.pack(form, *values) for bit, form, *values in tail if self.sample_type & bit)
        if has(REGS_INTR):
            out += self.pack(f"Q{len(intr)}Q", 2, *intr) if intr is not None else self.pack("Q", 0)
        tail = [(PHYS_ADDR, phys), (CGROUP, cgroup), (DATA_PAGE_SIZE, data_page), (CODE_PAGE_SIZE, code_page)]
        out += b"".join(self.pack("Q", value) for bit, value in tail if self.sample_type & bit)
        return self.record(SAMPLE, out, misc)

    def read_values(self, reads):
        times = self.pack("QQ", 5000, 4000) if self.read_format & READ_TIMES == READ_TIMES else b""
        if self.read_format & READ_GROUP:
            return self.pack("Q", len(reads)) + times + b"".join(self.pack("QQ", value, self.ids[event][0])
                                                                 for event, value in reads)
        return self.pack("Q", reads[0][1]) + times + self.pack("Q", self.ids[reads[0][0]][0])

    def compress(self, kind=COMPRESSED, pieces=1):
        """Put all records so far into compressed ones; a piece may end in the middle of a record."""
        zstd = ctypes.CDLL("libzstd.so.1")
        whole, self.data = bytes(self.data), bytearray()
        step = -(-len(whole) // pieces)
        for at in range(0, len(whole), step):
            piece = whole[at:at + step]
            room = ctypes.create_string_buffer(len(piece) + 1000)
            zstd.ZSTD_compress.restype = ctypes.c_size_t
            size = zstd.ZSTD_compress(room, ctypes.c_size_t(len(room)), piece, ctypes.c_size_t(len(piece)), 1)
            packed = room.raw[:size]
            if kind == COMPRESSED2:
                self.record(kind, self.pack("Q", size) + packed)
            else:
                self.data += self.pack("IHH", kind, 0, 8 + size) + packed
        return self

    # --- features ---

    def feature(self, bit, content):
        self.features[bit] = content
        return self

    def string_feature(self, bit, string):
        raw = string.encode() + b"\0"
        raw += b"\0" * (-len(raw) % 64)
        self.features[bit] = self.pack("I", len(raw)) + raw
        return self

    # --- the whole ---

    def file(self):
        magic = {1: b"PERFFILE", 2: b"PERFILE2" if self.order == "<" else b"2ELIFREP"[::1]}[self.version]
        if self.version == 2 and self.order == ">":
            magic = b"2ELIFREP"
        ids_at, blobs = 104, b""
        entries = b""
        for event, ids in enumerate(self.ids):
            entries += self.attr(event) + self.pack("QQ", ids_at + len(blobs), 8 * len(ids))
            blobs += b"".join(self.pack("Q", ident) for ident in ids)
        attrs_at = ids_at + len(blobs)
        data_at = attrs_at + len(entries)
        words = [0, 0, 0, 0]
        for bit in self.features:
            words[bit // 64] |= 1 << bit % 64
        header = magic + self.pack("QQQQQQQQ4Q", 104, self.attr_size + 16, attrs_at, len(entries), data_at,
                                   len(self.data), 0, 0, *words)
        sections_at = data_at + len(self.data) + 16 * len(self.features)
        table, tail = b"", b""
        for bit in sorted(self.features):
            table += self.pack("QQ", sections_at + len(tail), len(self.features[bit]))
            tail += self.features[bit]
        return header + blobs + entries + self.data + table + tail

    def pipe(self):
        magic = b"PERFILE2" if self.order == "<" else b"2ELIFREP"
        out = magic + self.pack("Q", 16)
        data, self.data = self.data, bytearray()
        for bit in sorted(self.features):
            self.record(HEADER_FEATURE, self.pack("Q", bit) + self.features[bit])
        for event, ids in enumerate(self.ids):
            self.record(ATTR, self.attr(event) + b"".join(self.pack("Q", ident) for ident in ids))
        heads, self.data = self.data, data
        return out + heads + data


def small(**options):
    """A program with two functions' worth of samples, in file order."""
    made = File(**options)
    made.comm(42, 42, "prog", is_exec=True)
    made.mmap(42, 0x400000, 0x2000, "/nowhere/prog", offset=0x1000)
    made.mmap2(42, 0x7f0000000000, 0x10000, "/nowhere/libx.so", build_id=bytes(range(20)))
    made.mmap(0xffffffff, 0xffffffff81000000, 0x1000000, "[kernel.kallsyms]_text", 0xffffffff81000000, misc=KERNEL)
    made.sample(42, 0x400100, 1000000, period=3000)
    made.sample(42, 0x7f0000000200, 2000000, period=2000)
    made.sample(42, 0xffffffff81000300, 3000000, misc=KERNEL)
    return made

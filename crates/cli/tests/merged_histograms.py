"""Adds the histograms of the agents of each run, bucket for bucket, and compares them with those of the run.

Reads a record as JSON from the standard input. Decodes the HdrHistogram V2 encoding (HdrHistogram's
EncodableHistogram: a cookie, a length, zlib; inside, counts as ZigZag LEB128, negative ones for empty buckets) by
itself, so that it shares no code with the program that merged them. Prints the number of compared histograms and of
values; exits with 1 at the first difference.
"""

import base64
import json
import struct
import sys
import zlib

COMPRESSED, PLAIN = 0x1C849304, 0x1C849303


def counts(text):
    """The counts by index of the bucket, and the settings of the buckets."""
    if not text:
        return {}, None
    data = base64.b64decode(text)
    cookie, length = struct.unpack(">II", data[:8])
    assert cookie & ~0xF0 == COMPRESSED, hex(cookie)
    inner = zlib.decompress(data[8 : 8 + length])
    cookie, length, offset, digits, low, high, ratio = struct.unpack(">IIIIQQd", inner[:40])
    assert cookie & ~0xF0 == PLAIN and offset == 0, (hex(cookie), offset)
    found, index, at = {}, 0, 40
    while at < 40 + length:
        value, shift = 0, 0
        for byte_number in range(9):
            byte = inner[at]
            at += 1
            value |= (byte if byte_number == 8 else byte & 0x7F) << shift
            shift += 7
            if byte_number == 8 or not byte & 0x80:
                break
        value = (value >> 1) ^ -(value & 1)
        if value < 0:
            index -= value
        else:
            if value:
                found[index] = value
            index += 1
    return found, (digits, low)


compared = values = 0
for run in json.load(sys.stdin)["runs"]:
    for name in ["service", "response"]:
        whole, settings = counts(run[name]["histogram"])
        total = {}
        for agent in run["agents"]:
            part, of_part = counts(agent[name]["histogram"])
            assert of_part in (None, settings), (of_part, settings)
            for index, count in part.items():
                total[index] = total.get(index, 0) + count
        if total != whole or sum(whole.values()) != run[name]["count"]:
            sys.exit(f"run {run['number']}: the {name} times of the agents are not those of the run")
        compared += 1
        values += sum(whole.values())
print(compared, values)

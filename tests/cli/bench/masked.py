# SPDX-License-Identifier: Apache-2.0
"""A bench's JSON without what differs from run to run: times, memory, the machine."""
import json
import sys


def masked(value):
    if isinstance(value, dict):
        return {k: masked(v) for k, v in value.items()
                if k not in ("seconds", "peak_bytes", "machine")}
    return [masked(v) for v in value] if isinstance(value, list) else value


print(json.dumps(masked(json.load(open(sys.argv[1])))))

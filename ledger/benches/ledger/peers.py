"""The same ledger and the same allocator in plain Python: what one would write without this crate.

Prints one JSON object with the results, which must equal the crate's, and the median times.
"""

import bisect
import json
import statistics
import sys
import time

MODEL = dict(vocab=151936, hidden=896, layers=24, heads=14, kv_heads=2, head_dim=64, intermediate=4864)


def parameters(m):
    h, d = m["hidden"], m["head_dim"]
    q, kv = m["heads"] * d, m["kv_heads"] * d
    layer = h * q + q + 2 * (h * kv + kv) + q * h + 3 * h * m["intermediate"] + 2 * h
    return m["vocab"] * h + m["layers"] * layer + h


def training(m, batch, seq):
    """FP32, AdamW foreach, no checkpointing, a tied head; entries as (object, part, first, last, bytes, formula)."""
    p, e, t = parameters(m), 4, batch * seq
    h, a, k, d, f, v = (m[x] for x in ("hidden", "heads", "kv_heads", "head_dim", "intermediate", "vocab"))
    layer = e * t * (2 * h + 2 * a * d + 2 * k * d + 4 * f) + t * 2 * (8 * h + 4) + 4 * a * t
    # Moments: loaded, forward end, loss, head, last layer, first layer, backward end, step.
    entries = []

    def add(obj, part, first, last, size, formula, at=None):
        held = [size if first <= moment <= last else 0 for moment in range(8)]
        for moment, value in (at or {}).items():
            held[moment] = value
        entries.append((obj, part, first, last, size, formula, held))

    add("parameter", "weights", 0, 7, p * e, f"{p:,} × {e} B")
    add("optimizer_state", "adam_m", 1, 7, p * e, f"{p:,} × {e} B")
    add("optimizer_state", "adam_v", 1, 7, p * e, f"{p:,} × {e} B")
    head = v * h * e
    per_layer = (p - v * h - h) // m["layers"]
    behind = (v * h + h + per_layer * (m["layers"] - 1)) * e
    add("gradient", "gradients", 3, 7, p * e, f"{p:,} × {e} B", {3: head, 4: head, 5: behind})
    add("temporary", "tied_gradient", 6, 6, head, f"{v * h:,} × {e} B")
    add("optimizer_temporary", "foreach_temporary", 7, 7, p * e, f"{p:,} × {e} B")
    saved = m["layers"] * layer
    text = f"{m['layers']} × ({e} B × {batch} × {seq} × (2 × {h} + 2 × {a} × {d} + 2 × {k} × {d} + 4 × {f:,}) + …)"
    add("activation", "layer_activations", 1, 5, saved, text, {5: layer})
    add("activation", "rotary_tables", 1, 5, 2 * e * seq * d, f"2 × {e} B × {seq} × {d}")
    add("activation", "final_norm", 1, 3, t * (8 * h + 4), f"{t} × (8 × {h} B + 4 B)")
    add("activation", "head_input", 1, 3, e * t * h, f"{e} B × {t} × {h}")
    add("logits", "log_softmax", 1, 2, 4 * v * t, f"4 B × {v:,} × {t}")
    add("logits", "loss_temporary", 2, 2, 8 * v * t, f"2 × 4 B × {v:,} × {t}")
    add("logits", "logits_gradient", 3, 3, e * v * t, f"{e} B × {v:,} × {t}")
    totals = [sum(entry[6][moment] for entry in entries) for moment in range(8)]
    phases = {"load": totals[0], "forward": totals[1], "backward": max(totals[2:7]), "step": totals[7]}
    return entries, phases, max(phases.values())


SMALL, LARGE, ROUND = 2 << 20, 20 << 20, 512


class Allocator:
    """Best fit with splitting and coalescing; one stream, a device that never runs full."""

    def __init__(self):
        self.free_small, self.free_large = [], []
        self.next_address = 1 << 40
        self.blocks = {}
        self.allocated = self.reserved = 0

    def malloc(self, size):
        size = max(ROUND, (size + ROUND - 1) // ROUND * ROUND)
        small = size <= 1 << 20
        pool = self.free_small if small else self.free_large
        at = bisect.bisect_left(pool, (size, 0))
        if at < len(pool):
            held, address = pool.pop(at)
            block = self.blocks[address]
        else:
            if small:
                held = SMALL
            elif size < 10 << 20:
                held = LARGE
            else:
                held = (size + SMALL - 1) // SMALL * SMALL
            address = self.next_address
            self.next_address += held + SMALL
            block = self.blocks[address] = [held, None, None, True, small]
            self.reserved += held
        rest = held - size
        if rest >= ROUND if small else rest > 1 << 20:
            after = address + size
            self.blocks[after] = [rest, address, block[2], True, small]
            if block[2] is not None:
                self.blocks[block[2]][1] = after
            block[0], block[2] = size, after
            bisect.insort(pool, (rest, after))
        block[3] = False
        self.allocated += block[0]
        return address

    def release(self, address):
        block = self.blocks[address]
        pool = self.free_small if block[4] else self.free_large
        self.allocated -= block[0]
        block[3] = True
        before, after = block[1], block[2]
        if after is not None and self.blocks[after][3]:
            other = self.blocks.pop(after)
            pool.pop(bisect.bisect_left(pool, (other[0], after)))
            block[0] += other[0]
            block[2] = other[2]
            if other[2] is not None:
                self.blocks[other[2]][1] = address
        if before is not None and self.blocks[before][3]:
            other = self.blocks[before]
            pool.pop(bisect.bisect_left(pool, (other[0], before)))
            other[0] += block[0]
            other[2] = block[2]
            if block[2] is not None:
                self.blocks[block[2]][1] = before
            del self.blocks[address]
            address, block = before, other
        bisect.insort(pool, (block[0], address))


def script(events, live_most):
    state, live, out = 1, [], []

    def draw(below):
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) & (1 << 64) - 1
        return (state >> 33) % below

    for number in range(events):
        if len(live) == live_most or (live and draw(2) == 0):
            at = draw(len(live))
            live[at], live[-1] = live[-1], live[at]
            out.append((live.pop(), None))
        else:
            size = (1 + draw(4096)) * 128
            size <<= draw(6)
            live.append(number)
            out.append((number, size))
    return out


def run(events):
    allocator, addresses = Allocator(), {}
    for number, size in events:
        if size is None:
            allocator.release(addresses.pop(number))
        else:
            addresses[number] = allocator.malloc(size)
    return allocator


def seconds(work, times):
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken)


def main():
    events = script(int(sys.argv[1]), 600)
    end = run(events)
    print(json.dumps({
        "peak": training(MODEL, 1, 768)[2],
        "events": len(events),
        "allocated": end.allocated,
        "reserved": end.reserved,
        "training_seconds": seconds(lambda: training(MODEL, 1, 768), 2000),
        "replay_seconds": seconds(lambda: run(events), 15),
    }))


main()

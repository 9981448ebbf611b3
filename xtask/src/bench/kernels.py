"""PyTorch's side of `cargo xtask bench kernels`: asked by a line, answers with seconds and a sum over what came out."""

import sys
import time
import warnings

import numpy
import torch

warnings.simplefilter("ignore")
torch.set_num_threads(2)
torch.set_grad_enabled(False)
ROWS, WIDTH, SIDE = 2048, 4096, 1024


def numbers(count):
    at = numpy.arange(count, dtype=numpy.uint64)
    hashed = (at * numpy.uint64(2654435761)) & numpy.uint64(0xFFFFFFFF)
    return torch.from_numpy((hashed.astype(numpy.float64) / 2.0**31 - 1.0).astype(numpy.float32))


x, weight = numbers(ROWS * WIDTH).reshape(ROWS, WIDTH), numbers(WIDTH)
square = numbers(SIDE * SIDE).reshape(SIDE, SIDE)
product, zeros = torch.empty(SIDE, SIDE), torch.zeros(ROWS, dtype=torch.int64)
y = torch.empty_like(x)


def int8_eager():
    scale = x.abs().amax(dim=1, keepdim=True) / 127
    return (x / scale).round_().to(torch.int8)


def int8_quantizer():
    return torch.quantize_per_channel(x, x.abs().amax(dim=1) / 127, zeros, 0, torch.qint8).int_repr()


RUNS = {
    "rms_norm": lambda: torch.nn.functional.rms_norm(x, (WIDTH,), weight, 1e-6),
    "softmax": lambda: torch.softmax(x, 1, out=y),
    "gemm": lambda: torch.mm(square, square, out=product),
    # Two ways that people write it: the faster one counts.
    "int8": int8_eager,
    "int8_quantizer": int8_quantizer,
}

print(torch.__version__, flush=True)
for line in sys.stdin:
    start = time.perf_counter()
    result = RUNS[line.strip()]()
    seconds = time.perf_counter() - start
    print(seconds, result.abs().sum(dtype=torch.float64).item(), flush=True)

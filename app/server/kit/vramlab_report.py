"""Build, check and hand in a Vramlab report (vramlab-report/v1) from a notebook or a script.

One file, standard library only. In a notebook:

    import vramlab_report as vramlab

    report = vramlab.Report("76", training=dict(model="Qwen/Qwen2.5-0.5B-Instruct", param_dtype="fp32",
                            compute_dtype="fp32", batch=1, seq=768, optimizer="AdamW", warmup=2, iters=5, seed=42))
    report.device()                                    # asks torch, if it is there; otherwise this processor
    report.budget(memory_cap_bytes=11_200 * vramlab.MIB, min_samples_per_s=1.0)
    report.add("baseline", vramlab.measure(step, batch=1), eval_loss=12.357)
    report.add("checkpoint", vramlab.measure(step_with_checkpoints, batch=1), eval_loss=12.357)
    report.decide("tune", "memory_saving_below_meaningful_threshold", "test_pressure_or_offload_scope")
    report.check()                                     # [] when nothing is wrong that can be seen here
    report.save("76.json")
    report.submit("https://course.example")            # token from VRAMLAB_TOKEN, or asked for without echo

Memory is in bytes, time in milliseconds, losses in nats. What was not measured is left out, never zero.
"""

import json
import math
import os
import platform
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

SCHEMA = "vramlab-report/v1"
MIB = 1024 * 1024
MAX_BYTES = 1024 * 1024

# What may stand where: the names of /schema/report-v1.json.
KEYS = {
    "": ["schema", "lab", "workload", "device", "level", "roofline", "ledger", "candidates", "boundaries", "budget", "decision",
         "source", "learner_code", "conditions"],
    "training": ["model", "label", "param_dtype", "compute_dtype", "matmul_precision", "batch", "seq", "optimizer",
                 "warmup", "iters", "seed", "framework"],
    "inference": ["model", "weight_dtype", "kv_dtype", "batch", "prompt_tokens", "generated_tokens", "concurrency",
                  "requests", "source", "warmup", "repeats", "cache_policy", "framework"],
    "distributed": ["strategy", "world_size", "model", "param_dtype", "batch", "seq", "accumulation", "layers", "hidden",
                    "tokens_per_rank", "warmup", "repeats"],
    "kernel": ["operation", "shape", "dtype", "warmup", "iters", "seed"],
    "device": ["backend", "name", "kind", "uuid", "driver", "memory_bytes", "compute_capability", "runtime"],
    "candidate": ["name", "status", "metrics", "quality", "runs", "timeline", "error"],
    "metrics": ["step_time_ms", "time_ms", "timer", "spread", "reached", "samples_per_s", "peak_allocated_bytes", "peak_reserved_bytes",
                "allocated_before_bytes", "bytes_moved", "serving", "speculative", "prefix_cache", "quantised", "ranks"],
    "quality": ["loss", "eval_loss", "max_abs_error", "max_rel_error", "tolerance"],
    "budget": ["memory_cap_bytes", "min_samples_per_s", "min_memory_saving_bytes", "min_throughput_ratio",
               "max_eval_loss", "min_step_time_saving_ms", "min_speedup", "max_abs_error", "serving"],
    "decision": ["decision", "reason", "next_action"],
    "learner_code": ["kernel", "language", "sha256", "resources"],
    "resources": ["compiler", "block_threads", "targets", "refused"],
    "target": ["capability", "registers_per_thread", "shared_bytes", "local_bytes", "spill_store_bytes", "spill_load_bytes",
               "max_threads_per_block", "blocks_per_multiprocessor", "warps_per_multiprocessor",
               "max_warps_per_multiprocessor", "limited_by"],
}
LEVELS = ["theoretical", "cpu_simulation", "cpu_benchmark", "preflight", "gpu_smoke", "gpu_benchmark",
          "serving_backend", "profiler_trace", "multi_gpu"]
STATUSES = ["ok", "oom", "partial_oom", "failed"]
WORDS = ["accept", "tune", "reject"]
TEXTS = {"timer", "name", "status", "error", "model", "label", "param_dtype", "compute_dtype", "matmul_precision",
         "optimizer", "framework", "operation", "dtype", "backend", "kind", "uuid", "driver", "compute_capability",
         "runtime", "weight_dtype", "kv_dtype", "strategy", "source", "cache_policy", "decision", "reason", "next_action",
         "kernel", "language", "sha256", "compiler", "refused"}
COUNTS = {"bytes_moved", "batch", "seq", "warmup", "iters", "seed", "prompt_tokens", "generated_tokens", "concurrency",
          "world_size", "accumulation", "requests", "repeats", "layers", "hidden", "tokens_per_rank", "capability", "block_threads",
          "registers_per_thread", "max_threads_per_block", "blocks_per_multiprocessor", "warps_per_multiprocessor",
          "max_warps_per_multiprocessor"}


class Refused(Exception):
    """The server did not take the report; the text says where and why."""


class Report:
    """One report about one lab. `workload` is one of training=, inference=, kernel=, distributed=, each a dict."""

    def __init__(self, lab, **workload):
        if len(workload) != 1:
            raise ValueError("give one workload: training=…, inference=…, kernel=… or distributed=…")
        self.data = {"schema": SCHEMA, "lab": str(lab), "workload": workload, "level": "preflight", "candidates": []}

    @classmethod
    def load(cls, path):
        """A report from a file, to go on with it."""
        with open(path, encoding="utf-8-sig") as file:
            data = json.load(file, parse_constant=_no_constant)
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            raise ValueError(f"{path}: not a {SCHEMA}; other shapes of the course are handed in as they are")
        report = cls.__new__(cls)
        report.data = data
        return report

    def device(self, **facts):
        """Names what runs. Without facts torch is asked, if it was imported; otherwise it is this processor."""
        self.data["device"] = facts or _device()
        return self

    def level(self, word):
        """How far the evidence reaches, one of LEVELS. `add` sets it from the device where nothing is said."""
        self.data["level"] = word
        return self

    def budget(self, **limits):
        self.data["budget"] = limits
        return self

    def add(self, name, runs=(), status="ok", error=None, **quality):
        """A candidate: its repeats (dicts of metrics), and loss=, eval_loss=, max_abs_error=, … as its quality.

        The metrics are the means of the repeats that finished. `baseline` is the reference.
        """
        runs = [dict(run) for run in ([runs] if isinstance(runs, dict) else runs)]
        finished = [run for run in runs if not run.get("oom")]
        if len(finished) < len(runs):
            status = "partial_oom" if finished else "oom"
            error = error or next(run.get("error") for run in runs if run.get("oom"))
            boundary = _without_none({"kind": "oom", "candidate": name, "message": error})
            self.data.setdefault("boundaries", []).append(boundary)
        candidate = {"name": name, "status": status}
        if finished:
            candidate["metrics"] = _summary(finished)
            candidate["runs"] = finished
        if quality:
            candidate["quality"] = quality
        if error:
            candidate["error"] = str(error)
        self.data["candidates"].append(candidate)
        if self.data["level"] == "preflight" and finished:
            device = self.data.get("device", {})
            self.data["level"] = "cpu_benchmark" if device.get("kind") == "cpu" else "gpu_smoke"
        return self

    def decide(self, decision, reason, next_action=None):
        """accept, tune or reject, with the reason and the next step."""
        self.data["decision"] = _without_none({"decision": decision, "reason": reason, "next_action": next_action})
        return self

    def check(self):
        """What is wrong, as (JSON pointer, sentence). The grader looks at far more; this is what can be seen here."""
        return list(_problems(self.data))

    def json(self):
        return json.dumps(self.data, ensure_ascii=False, allow_nan=False, indent=1)

    def save(self, path):
        """Writes the file; a report that is there already is not overwritten unless it is the same."""
        text = self.json() + "\n"
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                if file.read() == text:
                    return path
            raise FileExistsError(f"{path}: holds another report; raw reports are kept, so take a new name")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def submit(self, server, token=None, timeout=60):
        """Hands the report in and gives the server's answer: url, outcome, points, checks. Prints a summary."""
        problems = self.check()
        if problems:
            raise ValueError("; ".join(f"{pointer or '/'}: {text}" for pointer, text in problems))
        answer = submit(self.json().encode(), server, token, timeout)
        points = answer.get("points", {})
        print(f"{answer.get('outcome')}: {points.get('earned')} / {points.get('possible')} · {answer.get('url')}")
        for check in answer.get("checks", []):
            if check.get("status") == "fail" and check.get("severity") != "note":
                print(f"  {check['severity']} {check['pointer'] or '/'}: {check['message']} → {check['fix']}")
        return answer


def measure(step, batch, warmup=2, iters=5, repeats=3):
    """Times `step()`: warm-up, then `iters` steps between synchronisations, `repeats` times.

    On CUDA the peaks of PyTorch's allocator come along, with what was allocated before. A run that meets the end of the
    memory is recorded as such and ends the measurement: it is a boundary, not a failure.
    """
    cuda = _cuda()
    runs = []
    for _ in range(repeats):
        try:
            run = {}
            for _ in range(warmup):
                step()
            if cuda:
                cuda.synchronize()
                run["allocated_before_bytes"] = int(cuda.memory_allocated())
                cuda.reset_peak_memory_stats()
            start = time.perf_counter()
            for _ in range(iters):
                step()
            if cuda:
                cuda.synchronize()
            run["step_time_ms"] = (time.perf_counter() - start) * 1000.0 / iters
            run["timer"] = "host"
            run["samples_per_s"] = batch * 1000.0 / run["step_time_ms"]
            if cuda:
                run["peak_allocated_bytes"] = int(cuda.max_memory_allocated())
                run["peak_reserved_bytes"] = int(cuda.max_memory_reserved())
            runs.append(run)
        except Exception as error:
            if type(error).__name__ != "OutOfMemoryError" and not isinstance(error, MemoryError):
                raise
            runs.append({"oom": True, "error": str(error)[:500]})
            break
    return runs


def submit(body, server, token=None, timeout=60):
    """Sends the bytes of a report of any shape that the course knows; gives the answer or raises Refused."""
    if len(body) > MAX_BYTES:
        raise ValueError(f"{len(body)} bytes: a report has at most {MAX_BYTES}")
    address = urllib.parse.urlsplit(server)
    if address.scheme != "https" and address.hostname not in ("localhost", "127.0.0.1", "::1"):
        raise ValueError(f"{server}: the token would travel in the clear; use https://")
    token = token or os.environ.get("VRAMLAB_TOKEN") or _ask()
    request = urllib.request.Request(
        server.rstrip("/") + "/api/v1/reports",
        data=body,
        headers={"Authorization": f"Bearer {token.strip()}", "Content-Type": "application/json"},
    )
    try:
        # The token goes to the server that was named and to no other.
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=timeout) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        try:
            problem = json.load(error)
        except ValueError:
            problem = {}
        place = f" at {problem['pointer']}" if problem.get("pointer") else ""
        text = " ".join(str(problem[key]) for key in ("title", "detail") if problem.get(key))
        raise Refused(f"refused with {error.code}{place}: {text or error.reason}") from None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def _ask():
    import getpass

    return getpass.getpass("Vramlab token: ")


def _cuda():
    torch = sys.modules.get("torch")
    return torch.cuda if torch is not None and torch.cuda.is_available() else None


def _device():
    torch, cuda = sys.modules.get("torch"), _cuda()
    runtime = f"torch {torch.__version__}" if torch is not None else f"Python {platform.python_version()}"
    if not cuda:
        name = platform.processor() or platform.machine() or "unknown"
        return {"backend": "cpu", "kind": "cpu", "name": f"{name} processor", "runtime": runtime}
    facts = cuda.get_device_properties(cuda.current_device())
    uuid = getattr(facts, "uuid", None)
    return _without_none({
        "backend": "cuda", "kind": "integrated_gpu" if getattr(facts, "is_integrated", 0) else "discrete_gpu",
        "name": facts.name, "uuid": None if uuid is None else str(uuid), "memory_bytes": int(facts.total_memory),
        "compute_capability": f"{facts.major}.{facts.minor}", "runtime": runtime,
    })


def _without_none(values):
    return {key: value for key, value in values.items() if value is not None}


def _summary(runs):
    """Means of what is measured, and what all repeats say alike."""
    metrics = {}
    for key in KEYS["metrics"]:
        values = [run[key] for run in runs if run.get(key) is not None]
        if not values:
            continue
        if isinstance(values[0], str):
            metrics[key] = values[0]
        elif key.endswith("_bytes") or key == "bytes_moved":
            metrics[key] = round(sum(values) / len(values))
        else:
            metrics[key] = sum(values) / len(values)
    return metrics


def _no_constant(name):
    raise ValueError(f"{name} is no JSON: write null for what was not measured")


def _problems(data):
    yield from _object(data, "", KEYS[""], required=["schema", "lab", "workload", "level", "candidates"])
    if data.get("level") not in LEVELS:
        yield "/level", f"one of {', '.join(LEVELS)}"
    for kind, block in data.get("workload", {}).items():
        if kind in KEYS:
            yield from _object(block, f"/workload/{kind}", KEYS[kind])
    for key in ("device", "budget", "decision"):
        if key in data:
            yield from _object(data[key], f"/{key}", KEYS[key])
    if "learner_code" in data:
        yield from _learner_code(data["learner_code"])
    if "decision" in data and data["decision"].get("decision") not in WORDS:
        yield "/decision/decision", f"one of {', '.join(WORDS)}"
    names = [candidate.get("name") for candidate in data.get("candidates", [])]
    if names and "baseline" not in names:
        yield "/candidates", "no candidate is called baseline: nothing to compare with"
    for at, candidate in enumerate(data.get("candidates", [])):
        here = f"/candidates/{at}"
        yield from _object(candidate, here, KEYS["candidate"], required=["name"])
        if not candidate.get("name") or names.index(candidate.get("name")) != at:
            yield f"{here}/name", "a name of its own"
        if candidate.get("status", "ok") not in STATUSES:
            yield f"{here}/status", f"one of {', '.join(STATUSES)}"
        yield from _object(candidate.get("metrics", {}), f"{here}/metrics", KEYS["metrics"], positive=True)
        yield from _object(candidate.get("quality", {}), f"{here}/quality", KEYS["quality"])
        for number, run in enumerate(candidate.get("runs", [])):
            yield from _object(run, f"{here}/runs/{number}", KEYS["metrics"], positive=True)


def _learner_code(code):
    here = "/learner_code"
    yield from _object(code, here, KEYS["learner_code"], required=["kernel", "language", "sha256"])
    found = code.get("resources") if isinstance(code, dict) else None
    if found is not None:
        yield from _object(found, f"{here}/resources", KEYS["resources"], required=["compiler", "block_threads"])
    for at, target in enumerate(found.get("targets", []) if isinstance(found, dict) else []):
        yield from _object(target, f"{here}/resources/targets/{at}", KEYS["target"], required=KEYS["target"])


def _object(block, here, keys, required=(), positive=False):
    if not isinstance(block, dict):
        yield here, "an object"
        return
    for key in required:
        if key not in block:
            yield f"{here}/{key}", "is missing"
    for key, value in block.items():
        place = f"{here}/{key}"
        if key not in keys:
            yield place, f"unknown; known are {', '.join(keys)}"
        elif key in TEXTS and here:
            if not isinstance(value, str):
                yield place, "a text"
        elif key.endswith("_bytes") or key in COUNTS:
            if type(value) is not int or value < 0:
                yield place, "an integer, not negative"
        elif key.endswith(("_ms", "_per_s", "_ratio", "_error", "loss")) or key in ("tolerance", "min_speedup"):
            if type(value) not in (int, float) or not math.isfinite(value):
                yield place, "a finite number"
            elif positive and value <= 0:
                yield place, "above zero; leave out what was not measured"

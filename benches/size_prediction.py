"""For size-prediction.sh: limits one resource, measures, predicts, and looks for the multiple that is carried."""

import json
import os
import shutil
import statistics
import subprocess
import sys

DBDYNO, WORK, GROUPS, NAME, CASES, SHARES, SECONDS, REPEATS = sys.argv[1:]
SECONDS, REPEATS = float(SECONDS), int(REPEATS)
TARGET = "sqlite?cache_size=4MB"
SMALL = ["--preset", "smoke", "--small-rows", "3200", "--seed", "42"]
# A table that is several times the cache, so that a row at random is a read of the device.
SIZES = [*SMALL, "--large-rows", "320000"]
READ_IOPS, WRITE_IOPS, READ_BYTES, WRITE_BYTES, CPU_SHARE = 400, 400, 20_000_000, 8_000_000, 0.4
# So much that the memory of the program itself is a small part; its tables are as large, so that a cache can fill it.
MEMORY_BYTES, MEMORY_ROWS = 600_000_000, 4_000_000
SESSIONS = 64

# The limit of each case, the tests that measure it, and what the prediction has to name.
OF = {
    "reads": (("blkio", "blkio.throttle.read_iops_device", READ_IOPS), "S22", {"random_reads_per_second"}),
    "commits": (("blkio", "blkio.throttle.write_iops_device", WRITE_IOPS), "T311", {"commits_per_second", "log_bytes_per_second"}),
    "log": (("blkio", "blkio.throttle.write_bps_device", WRITE_BYTES), "T322", {"log_bytes_per_second"}),
    "bandwidth": (("blkio", "blkio.throttle.read_bps_device", READ_BYTES), "S11", {"read_bytes_per_second"}),
    "processors": (("cpu", "cpu.cfs_quota_us", int(CPU_SHARE * 100_000)), "C11,T611", {"processors_threads"}),
    "memory": (("memory", "memory.limit_in_bytes", MEMORY_BYTES), "C11", {"memory_bytes"}),
    "sessions": (None, "T311", {"sessions"}),
}
TREES = ("blkio", "cpu", "memory")


def put(file, text):
    with open(os.path.join(GROUPS, file), "w") as out:
        out.write(text)


def limit(case, is_on):
    if OF[case][0] is None:
        return None
    tree, file, value = OF[case][0]
    path = f"{tree}/{NAME}/{file}"
    if tree != "blkio":
        return put(path, str(value if is_on else -1))
    device = os.stat(WORK).st_dev
    whole = os.path.realpath(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}")
    if os.path.exists(f"{whole}/partition"):
        whole = os.path.dirname(whole)
    number = open(f"{whole}/dev").read().strip()
    put(path, f"{number} {value if is_on else 0}")


def join():
    for tree in TREES:
        put(f"{tree}/{NAME}/cgroup.procs", str(os.getpid()))


def dbdyno(*words, inside=True, fails=False):
    """What it prints; of a run that may fail also none."""
    done = subprocess.run([DBDYNO, *words], cwd=WORK, preexec_fn=join if inside else None, capture_output=True, text=True)
    if done.returncode and not fails:
        sys.exit(f"dbdyno {' '.join(words)}: {done.stdout[-1500:]}{done.stderr[-1500:]}")
    return done.stdout


def load(name, amounts, **instance):
    amounts = {quantity: {"average": value} for quantity, value in amounts.items()}
    profile = {
        "format": "dbdyno load profile", "version": 1,
        "sources": [{"form": "watch", "scope": "database", "engine": "sqlite", "zone": {"offset_minutes": 0}, "files": 0}],
        "instances": [{"number": 1, "hardware_threads": os.cpu_count(), **instance}],
        "intervals": [{"source": 0, "instance": 0, "started_at_ms": 1790000000000, "seconds": 3600.0, "amounts": amounts}],
    }
    with open(os.path.join(WORK, name), "w") as out:
        json.dump(profile, out)


def run(name, *words, target=TARGET, sizes=SIZES, fails=False, inside=True):
    """The record of a run; none of one that ended before it had one."""
    place = ["--target", target, "--keep", "--no-html", "--no-activity", "--quiet", "--record", name, *sizes]
    if os.path.exists(os.path.join(WORK, name)):
        os.remove(os.path.join(WORK, name))
    dbdyno("run", *words, *place, fails=fails, inside=inside)
    text = dbdyno("report", name, "--format", "json", inside=False, fails=fails)
    return json.loads(text) if text else None


def replay(times, **where):
    """The run of the load in kind, so many times as much; none where it did not come to an end."""
    of = run("like.jsonl", "--like", "load.json", "--times", f"{times:.6f}", "--seconds", str(SECONDS), fails=True, **where)
    runs = of["runs"] if of else []
    return next((one for one in runs if one["test"] == "K100" and one["window_ns"] > 0), None)


def reached(times, **where):
    """What the slowest role did as a multiple of the load, and how many times the window it took to do what arrived in it."""
    of = replay(times, **where)
    if of is None:
        return 0.0, float("inf")
    seconds = of["window_ns"] / 1e9
    shares = []
    for role in of["transaction_types"]:
        steps, left = role["totals"]["steps"], role["totals"].get("unfinished", 0)
        # Of what arrived, not of the mean of arrivals, which are random.
        shares.append(steps / max(1, steps + left) * SECONDS / max(seconds, SECONDS))
    return times * min(shares), seconds / SECONDS


def found(expected, **where):
    """The multiple that the platform does: the median of what it reaches of more than it carries, which keeps every session busy."""
    times, values = 1.5 * expected, []
    while len(values) < REPEATS:
        value, windows = reached(times, **where)
        if windows < 1.1:
            # It carries that: its ceiling is higher.
            times *= 1.5
            continue
        values.append(value)
    return statistics.median(values)


def found_by_halving(expected, carries):
    """The multiple up to which `carries` holds, between half and twice what is expected."""
    low, high = expected / 2, expected * 2
    for _ in range(6):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if carries(middle) else (low, middle)
    return (low * high) ** 0.5


def amounts(case, share, ceilings):
    """A load that takes `share` of what is limited, and little of everything else."""
    if case == "reads":
        return {"physical_reads_per_second": share * ceilings["random_reads_per_second"], "sessions": 16 * share}
    if case == "commits":
        return {"commits_per_second": share * ceilings["commits_per_second"], "sessions": 4}
    if case == "log":
        log = share * ceilings["log_bytes_per_second"]
        return {"log_bytes_per_second": log, "commits_per_second": log / 60_000, "sessions": 4}
    if case == "bandwidth":
        return {"physical_read_bytes_per_second": share * ceilings["read_bytes_per_second"], "sessions": 4}
    return {"database_processor_seconds_per_second": share * ceilings["processors_threads"], "sessions": 4}


def sized(*words):
    return json.loads(dbdyno("size", "load.json", "--on", "sheet.jsonl", "--format", "json", *words, inside=False))["platforms"][0]


def tell(case, share, of, predicted, multiple):
    first = of["resources"][0]["resource"]
    print(f"{case} at {share:.0%}: {first} first, at {predicted:.3f} times, found {multiple:.3f}, ratio {multiple / predicted:.3f}",
          flush=True)
    return first not in OF[case][2]


def rates(case, shares):
    """A resource whose ceiling is a rate: reads, commits, log, bandwidth, processors."""
    tests, wrong, old = OF[case][1], 0, []
    if case == "processors":
        run("old.jsonl", "--tests", tests, "--jobs", "1,2,4", "--seconds", str(SECONDS))
        old = ["--from", "old.jsonl"]
    limit(case, True)
    run("sheet.jsonl", "--tests", tests, "--jobs", "1,2,4", "--seconds", str(SECONDS), fails=True)
    # One of each, to learn the ceilings from the sizing itself.
    load("load.json", {"physical_reads_per_second": 1, "physical_read_bytes_per_second": 1, "commits_per_second": 1,
                       "log_bytes_per_second": 1, "database_processor_seconds_per_second": 0.001})
    ceilings = {one["resource"]: one["available"] for one in sized(*old)["resources"]}
    for share in shares:
        load("load.json", amounts(case, share, ceilings))
        of = sized(*old)
        wrong += tell(case, share, of, of["multiple"], found(of["multiple"]))
    limit(case, False)
    return wrong


def memory(case, shares):
    """A cache that is so many times as large: the kernel ends a process that outgrows the memory of its control group."""
    wrong, sizes = 0, [*SMALL, "--large-rows", str(MEMORY_ROWS)]
    # Its tables are others than those of the other cases.
    shutil.rmtree(os.path.join(WORK, "dbdyno-data"), ignore_errors=True)
    load("load.json", {"physical_reads_per_second": 50, "sessions": 1})
    run("like.jsonl", "--like", "load.json", "--seconds", "0.5", sizes=sizes, fails=True)
    limit(case, True)
    run("sheet.jsonl", "--tests", OF[case][1], "--jobs", "1", "--seconds", "0.5", sizes=sizes)
    for share in shares:
        cache = share * MEMORY_BYTES
        load("load.json", {"physical_reads_per_second": 50, "sessions": 1}, shared_memory_bytes=int(cache))
        of = sized()
        predicted = 1 / of["resources"][0]["share"]

        def carries(times):
            return replay(1.0, target=f"sqlite?cache_size={int(times * cache / 1024)}KiB", sizes=sizes) is not None

        wrong += tell(case, share, of, predicted, found_by_halving(predicted, carries))
    limit(case, False)
    return wrong


def sessions(case, shares):
    """A server that takes so many sessions and no more."""
    tools = subprocess.run("ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1", shell=True, capture_output=True, text=True)
    tools = tools.stdout.strip() or os.path.dirname(shutil.which("initdb") or "")
    place = os.path.join("/tmp", NAME)
    as_server = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"]
    os.makedirs(place, exist_ok=True)
    shutil.chown(place, "postgres")
    server = [*as_server, f"{tools}/pg_ctl", "-D", f"{place}/data", "-w"]
    settings = f"-c listen_addresses='' -c unix_socket_directories={place} -c max_connections={SESSIONS}"
    wrong, where = 0, {"target": f"postgres://bench@{place.replace('/', '%2F')}/postgres", "sizes": SMALL}
    try:
        initdb = [*as_server, f"{tools}/initdb", "-D", f"{place}/data", "-U", "bench", "-A", "trust", "--no-sync"]
        subprocess.run(initdb, check=True, stdout=subprocess.DEVNULL)
        subprocess.run([*server, "-l", f"{place}/log", "-o", settings, "start"], check=True, stdout=subprocess.DEVNULL)
        run("sheet.jsonl", "--tests", OF[case][1], "--jobs", "1,2,4", "--seconds", "1", fails=True, **where)
        for share in shares:
            load("load.json", {"commits_per_second": 10, "sessions": share * SESSIONS})
            of = sized()

            def carries(times):
                run_of = replay(times, **where)
                return run_of is not None and run_of["outcome"] == "done"

            wrong += tell(case, share, of, of["multiple"], found_by_halving(of["multiple"], carries))
    finally:
        subprocess.run([*server, "-m", "fast", "stop"], stdout=subprocess.DEVNULL)
        shutil.rmtree(place, ignore_errors=True)
    return wrong


def main():
    cases, shares = CASES.split(","), [float(share) / 100 for share in SHARES.split(",")]
    wrong = 0
    # Programs beside it get what it leaves, not a share as large as each of theirs.
    put(f"cpu/{NAME}/cpu.shares", "262144")
    if set(cases) - {"memory", "sessions"}:
        # The tables are loaded before anything is limited.
        load("load.json", {"physical_reads_per_second": 10, "logical_reads_per_second": 1000, "sessions": 4})
        run("like.jsonl", "--like", "load.json", "--seconds", "0.5", fails=True)
    for case in cases:
        wrong += {"memory": memory, "sessions": sessions}.get(case, rates)(case, shares)
    sys.exit(1 if wrong else 0)


main()

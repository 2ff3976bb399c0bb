"""For size-prediction.sh: limits one resource, measures, predicts, and looks for the knee."""

import json
import os
import subprocess
import sys

DBDYNO, WORK, GROUPS, NAME, CASES, SHARES, SECONDS, STEPS = sys.argv[1:]
TARGET = "sqlite?cache_size=4MB"
# Tables that are several times the cache, so that a row at random is a read of the device.
SIZES = ["--preset", "smoke", "--large-rows", "320000", "--small-rows", "3200", "--seed", "42"]
READ_IOPS, WRITE_IOPS, READ_BYTES, CPU_SHARE = 400, 400, 20_000_000, 0.4
# Reads of the cache whose cost in processor time is measured: so many that what the program does besides is little.
PROBED_BLOCKS = 100_000

# The limit of each case, the tests that measure it, and what the prediction has to name.
OF = {
    "reads": (("blkio", "blkio.throttle.read_iops_device", READ_IOPS), "S22", {"random_reads_per_second"}),
    "commits": (("blkio", "blkio.throttle.write_iops_device", WRITE_IOPS), "T311", {"commits_per_second", "log_bytes_per_second"}),
    "bandwidth": (("blkio", "blkio.throttle.read_bps_device", READ_BYTES), "S11", {"read_bytes_per_second"}),
    "processors": (("cpu", "cpu.cfs_quota_us", int(CPU_SHARE * 100_000)), "C11,T611", {"processors_threads"}),
}


def put(file, text):
    with open(os.path.join(GROUPS, file), "w") as out:
        out.write(text)


def limit(case, is_on):
    tree, file, value = OF[case][0]
    path = f"{tree}/{NAME}/{file}"
    if tree == "cpu":
        return put(path, str(value if is_on else -1))
    device = os.stat(WORK).st_dev
    whole = os.path.realpath(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}")
    if os.path.exists(f"{whole}/partition"):
        whole = os.path.dirname(whole)
    number = open(f"{whole}/dev").read().strip()
    put(path, f"{number} {value if is_on else 0}")


def join():
    for tree in ("blkio", "cpu"):
        put(f"{tree}/{NAME}/cgroup.procs", str(os.getpid()))


def dbdyno(*words, inside=True, fails=False):
    done = subprocess.run([DBDYNO, *words], cwd=WORK, preexec_fn=join if inside else None, capture_output=True, text=True)
    if done.returncode and not fails:
        sys.exit(f"dbdyno {' '.join(words)}: {done.stdout[-1500:]}{done.stderr[-1500:]}")
    return done.stdout


def record(name):
    return json.loads(dbdyno("report", name, "--format", "json", inside=False))


def load(name, amounts):
    amounts = {quantity: {"average": value} for quantity, value in amounts.items()}
    profile = {
        "format": "dbdyno load profile", "version": 1,
        "sources": [{"form": "watch", "scope": "database", "engine": "sqlite", "zone": {"offset_minutes": 0}, "files": 0}],
        "instances": [{"number": 1, "hardware_threads": os.cpu_count()}],
        "intervals": [{"source": 0, "instance": 0, "started_at_ms": 1790000000000, "seconds": 3600.0, "amounts": amounts}],
    }
    with open(os.path.join(WORK, name), "w") as out:
        json.dump(profile, out)


def run(name, *words, fails=False, inside=True):
    place = ["--target", TARGET, "--keep", "--no-html", "--no-activity", "--quiet", "--record", name, *SIZES]
    if os.path.exists(os.path.join(WORK, name)):
        os.remove(os.path.join(WORK, name))
    dbdyno("run", *words, *place, fails=fails, inside=inside)
    return record(name)


def replay(times, fails=True):
    """The run of the load in kind, so many times as much."""
    of = run("like.jsonl", "--like", "load.json", "--times", f"{times:.6f}", "--seconds", SECONDS, fails=fails)
    return next(one for one in of["runs"] if one["test"] == "K100")


def carries(times):
    of = replay(times)
    window = of["window_ns"] / 1e9
    for role in of["transaction_types"]:
        steps, left = role["totals"]["steps"], role["totals"].get("unfinished", 0)
        due = role["role"]["rate"] * window
        if left > 0.01 * (steps + left) or steps < due * (0.99 - 3 / max(due, 9) ** 0.5):
            return False
    return True


def knee(expected):
    """The multiple up to which the platform carries the load, between a quarter and four times what is expected."""
    low, high = expected / 4, expected * 4
    for _ in range(int(STEPS)):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if carries(middle) else (low, middle)
    return (low * high) ** 0.5


def growth(of, counter):
    readings = [reading["values"][counter] for reading in of["readings"] if counter in reading["values"]]
    return readings[-1] - readings[0]


def amounts(case, share, ceilings):
    """A load that takes `share` of what is limited, and little of everything else."""
    if case == "reads":
        return {"physical_reads_per_second": share * ceilings["random_reads_per_second"], "sessions": 16}
    if case == "commits":
        rate = share * ceilings["commits_per_second"]
        return {"commits_per_second": rate, "sessions": 4}
    if case == "bandwidth":
        return {"physical_read_bytes_per_second": share * ceilings["read_bytes_per_second"], "sessions": 4}
    # What the reads of the cache cost is measured without the limit.
    return {"logical_reads_per_second": ceilings["blocks"] * share, "sessions": 4}


def main():
    wrong = 0
    # The tables are loaded before anything is limited.
    load("load.json", {"physical_reads_per_second": 10, "logical_reads_per_second": 1000, "sessions": 4})
    run("like.jsonl", "--like", "load.json", "--seconds", "0.5", fails=True)
    for case in CASES.split(","):
        tests, named = OF[case][1:]
        old = None
        if case == "processors":
            run("old.jsonl", "--tests", tests, "--jobs", "1,2,4", "--seconds", SECONDS)
            old = "old.jsonl"
        limit(case, True)
        run("sheet.jsonl", "--tests", tests, "--jobs", "1,2,4", "--seconds", SECONDS, fails=True)
        # One of each, to learn the ceilings from the sizing itself.
        load("load.json", {"physical_reads_per_second": 1, "physical_read_bytes_per_second": 1, "commits_per_second": 1,
                           "database_processor_seconds_per_second": 0.001})
        on = ["--on", "sheet.jsonl", "--format", "json", *(["--from", old] if old else [])]
        sized = json.loads(dbdyno("size", "load.json", *on, inside=False))
        ceilings = {one["resource"]: one["available"] for one in sized["platforms"][0]["resources"]}
        if case == "processors":
            limit(case, False)
            load("load.json", {"logical_reads_per_second": PROBED_BLOCKS, "sessions": 4})
            of = replay(1.0, fails=False)
            seconds = of["window_ns"] / 1e9
            ceilings["of_block"] = growth(of, "client_cpu_ns") / 1e9 / seconds / PROBED_BLOCKS
            ceilings["blocks"] = ceilings["processors_threads"] / ceilings["of_block"]
            limit(case, True)
        for share in (float(share) / 100 for share in SHARES.split(",")):
            asked = amounts(case, share, ceilings)
            sizes = dict(asked)
            if case == "processors":
                sizes["database_processor_seconds_per_second"] = ceilings["of_block"] * sizes.pop("logical_reads_per_second")
            load("load.json", sizes)
            sized = json.loads(dbdyno("size", "load.json", *on, inside=False))["platforms"][0]
            first, multiple = sized["resources"][0]["resource"], sized["multiple"]
            load("load.json", asked)
            found = knee(multiple)
            wrong += first not in named
            print(f"{case} at {share:.0%}: {first} first, at {multiple:.3f} times, found {found:.3f}, ratio {found / multiple:.3f}",
                  flush=True)
        limit(case, False)
    sys.exit(1 if wrong else 0)


main()

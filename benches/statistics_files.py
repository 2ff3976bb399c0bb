"""Writes a file of statistics of a form, about so many megabytes, with invented values and moments that follow each other.

    statistics_files.py FORM MEGABYTES FIXTURES FILE

FIXTURES is the folder of files of crates/history; FORM is one of FORMS.
"""

import datetime
import sys

# Begin and end of the reports that are there.
OCTOBER = ("12-Oct-26 09:00:00", "12-Oct-26 10:00:00")
MARCH = ("03-Mar-26 08:00:00", "03-Mar-26 11:00:00")

BEGIN = datetime.datetime(2026, 10, 12, 8, 0, 0)


def after(seconds):
    return BEGIN + datetime.timedelta(seconds=seconds)


def report(fixture, filler, begin, end, hours):
    """Reports with long texts of statements, each beginning where the one before has ended."""
    with open(fixture, encoding="utf-8") as file:
        head, tail = file.read().split("End of Report")
    for number in range(1 << 30):
        one, other = (after(3600 * hours * index).strftime("%d-%b-%y %H:%M:%S") for index in (number, number + 1))
        yield head.replace(end, other).replace(begin, one) + filler + "End of Report" + tail


def miner(fixture):
    with open(fixture, encoding="utf-8") as file:
        head, metrics = file.read().split("~~BEGIN-MAIN-METRICS~~\n")
    lines = metrics.splitlines()
    yield head + "~~BEGIN-MAIN-METRICS~~\n" + "\n".join(lines[:3]) + "\n"
    for snap in range(50_000):
        end = after(60 * snap).strftime("%y/%m/%d %H:%M")
        yield f"{snap:10d} {1:10d} {end}" + lines[3][36:] + " " * 150 + "\n"
    yield "~~END-MAIN-METRICS~~\n~~BEGIN-TOP-SQL-BY-SNAPID~~\n"
    for snap in range(1 << 30):
        yield f"{snap:10d}          1 0abcdefghijkl SELECT          some module                    1.5        200\n"


def views():
    statements = "".join(f"%s,10,16384,{query},t,%d\n" for query in range(5000))
    for dump in range(1 << 30):
        at = after(60 * dump).strftime("%Y-%m-%d %H:%M:%S+00")
        yield (
            f"dumped_at,server_version,wal_position_bytes\n{at},18.1,{dump}000000\n"
            "dumped_at,datid,numbackends,xact_commit,xact_rollback,blks_read,blks_hit,stats_reset\n"
            f"{at},5,12,{dump}000,{dump},{dump}0,{dump}00000,\n"
            "dumped_at,userid,dbid,queryid,toplevel,calls\n"
        ) + statements % tuple(part for _ in range(5000) for part in (at, dump * 7))


def status():
    others = "".join(f"Some_other_variable_{number}\t{number}\n" for number in range(500))
    for dump in range(1 << 30):
        counters = "".join(f"{name}\t{dump * 600}\n" for name in ("Com_commit", "Innodb_data_reads", "Questions"))
        yield f"dumped_at\n{1791792000 + 60 * dump}.25\nVariable_name\tValue\n{others}{counters}Uptime\t{5000 + 60 * dump}\n"


def minutes():
    yield '{"per_minute_info":{"one":{'
    second = ",".join(f'"{second:02d}":{second}' for second in range(60))
    for day in range(31):
        hours = (f'"{hour:02d}":{{' + ",".join(
            f'"{minute:02d}":{{"query":{{"count":1770,"duration":"5.5","second":{{{second}}}}}}}' for minute in range(60)
        ) + "}" for hour in range(24))
        yield ("," if day else "") + f'"{after(86400 * day):%Y%m%d}":{{' + ",".join(hours) + "}"
    yield '}},"top_slowest":{"one":['
    for index in range(1 << 30):
        yield ("," if index else "") + '["1.5","' + "select 1 " * 1000 + '"]'


def sadf():
    yield '{"sysstat": {"hosts": [{"nodename": "h", "number-of-cpus": 64, "statistics": [\n'
    processors = ", ".join(f'{{"cpu": "{cpu}", "usr": 20.00, "iowait": 5.00, "idle": 70.00}}' for cpu in ["all", *range(64)])
    for sample in range(1 << 30):
        at = after(60 * sample)
        yield ("," if sample else "") + (
            f'{{"timestamp": {{"date": "{at:%Y-%m-%d}", "time": "{at:%H:%M:%S}", "utc": 1, "interval": 60}}, '
            f'"cpu-load": [{processors}], "io": {{"io-reads": {{"rtps": 2.00, "bread": 40.00}}}}}}\n'
        )


def sar():
    yield "Linux 6.1.0 (h) \t2026-10-12 \t_x86_64_\t(64 CPU)\n\n08:00:00  CPU  %usr  %iowait  %idle\n"
    rows = "".join(f"%s        {cpu}     20.00      0.00      5.00      5.00     70.00\n" for cpu in ["all", *range(64)])
    for sample in range(1, 1 << 30):
        yield rows % ((f"{after(10 * sample):%H:%M:%S}",) * 65)


def iostat():
    yield "Linux 6.1.0 (h) \t2026-10-12 \t_x86_64_\t(64 CPU)\n\n"
    devices = "".join(f"nvme{number}n1  10.00  1500.00  60.00  700.00\n" for number in range(40))
    for sample in range(1 << 30):
        yield (
            f"{after(10 * sample):%Y-%m-%dT%H:%M:%S+0000}\navg-cpu:  %user %iowait %idle\n  20.00  5.00  70.00\n\n"
            f"Device  r/s  rkB/s  w/s  wkB/s\n{devices}\n"
        )


def forms(fixtures):
    text = "select a, b from some_table where c = :1 and d = :2 -- a long statement\n"
    cell = f"<table><tr><td>{text * 1000}</td></tr></table>"
    return {
        "awr-text": lambda: report(f"{fixtures}/awr-19c.txt", text * 1000, *OCTOBER, 1),
        "awr-html": lambda: report(f"{fixtures}/awr-19c-comma.html", cell, *(time.replace("c", "k") for time in OCTOBER), 1),
        "statspack": lambda: report(f"{fixtures}/statspack-11g.txt", text * 1000, *MARCH, 3),
        "awr-miner": lambda: miner(f"{fixtures}/awr-miner.out"),
        "views": views,
        "status": status,
        "pgbadger": minutes,
        "sadf": sadf,
        "sar": sar,
        "iostat": iostat,
    }


def main():
    form, megabytes, fixtures, name = sys.argv[1:]
    limit = float(megabytes) * 1e6
    with open(name, "w", encoding="utf-8") as file:
        size = 0
        for piece in forms(fixtures)[form]():
            size += len(piece)
            file.write(piece)
            if size >= limit:
                break


if __name__ == "__main__":
    main()

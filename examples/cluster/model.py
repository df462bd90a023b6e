#!/usr/bin/env python3
"""Predicts the time of kiln-cholesky with many ranks from one measured run with one rank.

    model.py TIMELINE --size=N --tile=N [--ranks=1,16,256,4096] [--latency=US] [--bandwidth=GB/S]

TIMELINE is what run.py wrote for one rank. Its tasks give the median time of each kind of kernel, scaled to --tile with
the kernel's operations (tile^3). The model simulates the program's tasks, tile owners and priorities: a rank runs one
task at a time, the ready one of the highest priority; a tile that another rank needs arrives after the latency and its
size over the bandwidth; a rank sends tiles one after the other.
"""
import argparse
import heapq
import json
import statistics


def measured(path):
    """The median time in seconds of each kind of task."""
    kinds = {}
    for event in json.load(open(path)):
        if event.get("cat") == "task":
            kinds.setdefault(event["name"].split()[0], []).append(event["dur"] / 1e6)
    return {kind: statistics.median(times) for kind, times in kinds.items()}


def tasks(tiles):
    """(kind, tile that is written, tiles that are read, priority) in the order of submission."""
    for k in range(tiles):
        yield "potrf", (k, k), [], 3
        for i in range(k + 1, tiles):
            yield "trsm", (i, k), [(k, k)], 2
        for j in range(k + 1, tiles):
            for i in range(j, tiles):
                yield "gemm", (i, j), [(i, k), (j, k)] if i != j else [(i, k)], 1 if j == k + 1 else 0


def simulate(tiles, ranks, seconds, latency, transfer):
    """Returns (the time of the run, the time of all tasks on one rank)."""
    rows = max(p for p in range(1, int(ranks**0.5) + 1) if ranks % p == 0)
    columns = ranks // rows
    kind, owner, priority, waits, followers = [], [], [], [], []
    last = {}  # the task that wrote a tile last
    for number, (name, written, read, level) in enumerate(tasks(tiles)):
        kind.append(name)
        owner.append(written[0] % rows * columns + written[1] % columns)
        priority.append(level)
        followers.append([])
        before = {last[tile] for tile in [written, *read] if tile in last}
        waits.append(len(before))
        for task in before:
            followers[task].append(number)
        last[written] = number
    ready = [[] for _ in range(ranks)]
    busy, sender = [False] * ranks, [0.0] * ranks
    events = []  # (time, task, True if it ends, else all of its data has arrived)
    arrived = [0.0] * len(kind)
    for task, count in enumerate(waits):
        if not count:
            heapq.heappush(events, (0.0, task, False))
    now = 0.0
    while events:
        now, task, ends = heapq.heappop(events)
        rank = owner[task]
        if ends:
            busy[rank] = False
            there = {rank: now}  # when this task's tile is on each rank
            for follower in followers[task]:
                to = owner[follower]
                if to not in there:
                    sender[rank] = max(sender[rank], now) + transfer
                    there[to] = sender[rank] + latency
                arrived[follower] = max(arrived[follower], there[to])
                waits[follower] -= 1
                if not waits[follower]:
                    heapq.heappush(events, (arrived[follower], follower, False))
        else:
            heapq.heappush(ready[rank], (-priority[task], task))
        if not busy[rank] and ready[rank]:
            _, next_task = heapq.heappop(ready[rank])
            busy[rank] = True
            heapq.heappush(events, (now + seconds[kind[next_task]], next_task, True))
    return now, sum(seconds[each] for each in kind)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("timeline")
    parser.add_argument("--size", type=int, required=True, help="of the predicted runs")
    parser.add_argument("--tile", type=int, required=True, help="of the predicted runs")
    parser.add_argument("--measured-tile", type=int, default=192, help="of the measured run (192)")
    parser.add_argument("--ranks", default="1,4,16,64,256,1024,4096")
    parser.add_argument("--latency", type=float, default=2, help="of a message, in microseconds (2)")
    parser.add_argument("--bandwidth", type=float, default=10, help="of a rank's network, in GB/s (10)")
    arguments = parser.parse_args()
    if arguments.size % arguments.tile:
        parser.error(f"--size is {arguments.size}, must be a multiple of --tile, which is {arguments.tile}")
    scale = (arguments.tile / arguments.measured_tile) ** 3
    seconds = {kind: time * scale for kind, time in measured(arguments.timeline).items()}
    transfer = 8 * arguments.tile**2 / (arguments.bandwidth * 1e9)
    print("task times: " + ", ".join(f"{kind} {time * 1e3:.3f} ms" for kind, time in sorted(seconds.items())))
    print("ranks   seconds   efficiency")
    for ranks in map(int, arguments.ranks.split(",")):
        time, work = simulate(arguments.size // arguments.tile, ranks, seconds, arguments.latency * 1e-6, transfer)
        print(f"{ranks:5} {time:9.3f} {work / time / ranks:12.2f}")


if __name__ == "__main__":
    main()

"""Progress of long commands: a line at the bottom of a terminal with the time left, plain lines elsewhere.

    progress.py [--label=WORDS] TOTAL PATTERN COMMAND...

runs COMMAND and prints its output. Each line that matches the regular expression PATTERN is one of TOTAL steps. The exit
status is the command's.
"""
import re
import shutil
import subprocess
import sys
import time


def spell(seconds):
    seconds = round(seconds)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60:02} min"


class Progress:
    """Counts steps. On a terminal, `stream` shows a line that each print replaces; elsewhere, a plain line at each tenth
    of the steps."""

    def __init__(self, total, label, stream=sys.stderr, clock=time.monotonic):
        self.total, self.label, self.stream, self.clock = total, label, stream, clock
        self.start, self.done, self.shown = clock(), 0, 0
        self.terminal = stream.isatty()

    def text(self):
        words = f"{self.label} {self.done} of {self.total}"
        if 0 < self.done < self.total:
            left = (self.clock() - self.start) / self.done * (self.total - self.done)
            words += f", about {spell(left)} left"
        return words

    def show(self):
        if self.terminal:
            width = shutil.get_terminal_size().columns
            self.stream.write("\r\x1b[K" + self.text()[:width - 1])
            self.stream.flush()
        elif self.done * 10 // max(self.total, 1) > self.shown * 10 // max(self.total, 1):
            self.shown = self.done
            self.stream.write(self.text() + "\n")
            self.stream.flush()

    def clear(self):
        if self.terminal:
            self.stream.write("\r\x1b[K")
            self.stream.flush()

    def step(self):
        self.done = min(self.done + 1, self.total)
        self.show()


def run(command, pattern, total, label, **more):
    """Runs a command and prints its output, with progress. Returns its exit status."""
    step = re.compile(pattern)
    progress = Progress(total, label)
    progress.show()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace", **more) as process:
        for line in process.stdout:
            progress.clear()
            sys.stdout.write(line)
            sys.stdout.flush()
            if step.search(line):
                progress.step()
            elif progress.terminal:
                progress.show()
    progress.clear()
    return process.returncode


def main():
    words = sys.argv[1:]
    label = "step"
    if words and words[0].startswith("--label="):
        label = words.pop(0).removeprefix("--label=")
    if len(words) < 3 or not words[0].isdigit():
        sys.exit(__doc__)
    sys.exit(run(words[2:], words[1], int(words[0]), label))


if __name__ == "__main__":
    main()

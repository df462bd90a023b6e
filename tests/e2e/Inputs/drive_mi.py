#!/usr/bin/env python3
"""Drives gdb through its machine interface, as the C++ extension of VS Code does, and prints what the editor would show.

    drive_mi.py SOURCE SCRIPT -- PROGRAM [ARGUMENT...]

SCRIPT is a list of steps, separated by semicolons:

    break LINE [if CONDITION]   a breakpoint in SOURCE, by its whole path: -break-insert -f
    run                         -exec-run, until the program stops
    continue, next, step, finish
    variables                   those of the selected frame: -stack-list-variables, and -var-create for each
    frame N                     selects a frame of the stopped thread
    expand EXPRESSION           a variable object and its children: -var-create, -var-list-children
    watch EXPRESSION            its value: -data-evaluate-expression
    set NAME VALUE              a variable object's new value: -var-assign
    delete                      all breakpoints

A stop prints the reason, the breakpoint's number, and the frames of source with their files' names. An error of gdb ends the
script with status 1.
"""
import os
import subprocess
import sys


class Reader:
    """A line of the machine interface to dictionaries, lists and strings."""

    def __init__(self, text):
        self.text, self.at = text, 0

    def results(self, end=""):
        found = {}
        while self.at < len(self.text) and self.text[self.at] not in end:
            if self.text[self.at] == ",":
                self.at += 1
            name, value = self.result()
            found.setdefault(name, value)
        return found

    def result(self):
        equals = self.text.index("=", self.at)
        name, self.at = self.text[self.at:equals], equals + 1
        return name, self.value()

    def value(self):
        first = self.text[self.at]
        self.at += 1
        if first == '"':
            return self.string()
        if first == "{":
            found = self.results("}")
            self.at += 1
            return found
        assert first == "[", self.text
        found = []
        while self.text[self.at] != "]":
            if self.text[self.at] == ",":
                self.at += 1
            found.append(self.value() if self.text[self.at] in '"{[' else self.result()[1])
        self.at += 1
        return found

    def string(self):
        found = ""
        while self.text[self.at] != '"':
            if self.text[self.at] == "\\":
                self.at += 1
                found += {"n": "\n", "t": "\t"}.get(self.text[self.at], self.text[self.at])
            else:
                found += self.text[self.at]
            self.at += 1
        self.at += 1
        return found


class Gdb:
    def __init__(self, program):
        self.process = subprocess.Popen(["gdb", "-nx", "--interpreter=mi"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, bufsize=1)
        self.number, self.stopped, self.thread, self.level = 1000, None, None, 0
        # What the extension sends before the program starts; "-enable-pretty-printing" is in its template of a launch.
        for line in ("-gdb-set mi-async on", "-enable-pretty-printing", '-interpreter-exec console "set pagination off"',
                     "-gdb-set auto-solib-add on", "-environment-cd " + os.getcwd(), "-file-exec-and-symbols " + program[0],
                     '-interpreter-exec console "show architecture"', "-exec-arguments " + " ".join(program[1:])):
            self.command(line)
        self.entry = self.command("-break-insert -f main")["bkpt"]["number"]

    def lines(self):
        """Reads a line. Notes stops."""
        line = self.process.stdout.readline()
        if not line:
            sys.exit("gdb has ended")
        if line.startswith("*stopped"):
            self.stopped = Reader(line.rstrip("\n").partition(",")[2]).results()
        return line.rstrip("\n")

    def command(self, text):
        self.number += 1
        self.process.stdin.write(f"{self.number}{text}\n")
        while True:
            kind, comma, rest = self.lines().partition(",")
            if kind == f"{self.number}^error":
                sys.exit(f"{text}: {Reader(rest).results()['msg']}")
            if kind.startswith(f"{self.number}^"):
                return Reader(rest).results() if comma else {}

    def resume(self, text):
        """A command that runs the program, and the stop after it."""
        self.stopped = None
        if self.thread:
            self.command("-thread-select " + self.thread)
        self.command(text)
        while not self.stopped:
            self.lines()
        self.thread, self.level = self.stopped.get("thread-id"), 0
        return self.stopped

    def in_frame(self, text):
        self.command("-thread-select " + self.thread)
        self.command(f"-stack-select-frame {self.level}")
        return self.command(text)

    def close(self):
        self.process.stdin.write("-gdb-exit\n")
        self.process.wait()


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def show_stop(gdb, stop):
    reason = stop.get("reason", "?")
    print("stopped:", reason, *(["by breakpoint " + stop["bkptno"]] if "bkptno" in stop else []))
    if reason.startswith("exited"):
        gdb.thread = None
        return
    gdb.command("-thread-info " + gdb.thread)
    for frame in gdb.in_frame("-stack-list-frames 0 19")["stack"]:
        if "fullname" in frame and frame["fullname"].endswith(".cl"):
            print(f"  frame {frame['level']}: {frame['func']} {frame['fullname']}:{frame['line']}")


def show(gdb, expression, expand=False):
    made = gdb.in_frame("-var-create - * " + quoted(expression))
    print(f"{expression}: {made['type']} = {made['value']}")
    if expand:
        for child in gdb.command(f"-var-list-children --simple-values {quoted(made['name'])} 0 1000")["children"]:
            print(f"  {child['exp']}: {child['type']} = {child.get('value', '...')}")
    gdb.command("-var-delete " + made["name"])


def step(gdb, source, text):
    word, _, rest = text.partition(" ")
    if word == "break":
        line, _, condition = rest.partition(" if ")
        options = f"-c {quoted(condition)} " if condition else ""
        made = gdb.command(f"-break-insert -f {options}{source}:{line}")["bkpt"]
        print(f"breakpoint {made['number']}", "pending" if "pending" in made else "at " + made["line"])
    elif word == "run":  # the extension stops at main, where it needs to know the program, and goes on
        gdb.resume("-exec-run")
        gdb.command("-break-delete " + gdb.entry)
        show_stop(gdb, gdb.resume("-exec-continue"))
    elif word in ("continue", "next", "step", "finish"):
        show_stop(gdb, gdb.resume("-exec-" + word))
    elif word == "variables":
        for one in gdb.in_frame("-stack-list-variables 0")["variables"]:
            show(gdb, one["name"])
    elif word == "frame":
        gdb.level = int(rest)
    elif word == "expand":
        show(gdb, rest, expand=True)
    elif word == "watch":
        print(f"{rest} = {gdb.in_frame('-data-evaluate-expression ' + quoted(rest))['value']}")
    elif word == "set":
        name, _, value = rest.partition(" ")
        made = gdb.in_frame("-var-create - * " + quoted(name))
        print(f"{name} = {gdb.command('-var-assign ' + made['name'] + ' ' + quoted(value))['value']}")
    elif word == "delete":
        gdb.command("-break-delete")
    else:
        sys.exit(f"unknown step '{text}'")


def main():
    source, script, dashes, *program = sys.argv[1:]
    assert dashes == "--"
    gdb = Gdb(program)
    for text in script.split(";"):
        if text.strip():
            step(gdb, os.path.realpath(source), text.strip())
    gdb.close()


if __name__ == "__main__":
    main()

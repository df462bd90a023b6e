#!/usr/bin/env python3
"""Measures compile time: per compiler stage, and as a function of the kernel's size.

  bench/compile_time.py BUILD                        ten kernels, one column per part of the compiler
  bench/compile_time.py BUILD --against NAME         adds another platform's time from source to the end of the first
                                                     launch
  bench/compile_time.py BUILD --growth               one kernel at several sizes: the factor per doubling of the size,
                                                     of the total and of each part, and the memory. Fails if the total
                                                     grows by more than 2.2 per doubling between the smallest and the
                                                     largest size, or a process needs more than 2048 MiB. Single steps
                                                     are not checked: at some sizes the compiler changes its method.
  bench/compile_time.py BUILD --instructions ...     counts instructions instead of milliseconds (needs perf); the
                                                     count does not depend on the machine's load

BUILD is Kiln's build folder. Each compilation by Kiln is a separate process. Times are processor time, which depends
little on the machine's load; the fastest of several rounds counts.
"""
import argparse
import ctypes
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

MAX_PER_DOUBLING = 2.2
MAX_MEGABYTES = 2048

# ---- kernels: each has one argument, a buffer of 32-bit numbers -----------------------------------------------------------------


def kernel(body, before=''):
    return f'{before}kernel void k(global uint *data) {{\n  uint i = get_global_id(0), x = data[i], y = i;\n{body}  data[i] = x ^ y;\n}}\n'


def statements(count):
    steps = ('x = x * 1664525u + {0}u;', 'y ^= x >> {1};', 'x += y << {1};', 'y = rotate(y, {1}u) + {0}u;')
    return kernel(''.join('  ' + steps[n % 4].format(n, n % 31 + 1) + '\n' for n in range(count)))


def variables(count):
    body = '  const uint v0 = x, v1 = y, v2 = x ^ y, v3 = x + y;\n'
    body += ''.join(f'  const uint v{n} = v{n - 4} * v{n - 3} + (v{n - 1} ^ v{max(0, n - 90)});\n' for n in range(4, count))
    return kernel(body + f'  y = v{count - 1};\n')


def components(count):
    lines = ('  v[x >> {0} & 15] += y;\n', '  x = x * 5 + v[y >> {0} & 15];\n')
    body = ''.join(lines[n % 2].format(n % 28) for n in range(count))
    return kernel(f'  uint16 v = (uint16)(x);\n{body}  x += v.s0 + v.s9;\n')


def branches(count):
    return kernel(''.join(f'  if (x & {1 << n % 31}u) y += x * {n}u; else x ^= y + {n}u;\n' for n in range(count // 2)))


def barriers(count):
    body = '  local uint shared[64];\n  uint l = get_local_id(0);\n'
    for n in range(count // 4):
        body += f'  shared[l] = x + {n}u;\n  barrier(CLK_LOCAL_MEM_FENCE);\n  y += shared[63 - l];\n  x ^= y * {n}u;\n'
    return kernel(body)


def collectives(count):
    return kernel(''.join(f'  y += work_group_scan_inclusive_add(x);\n  x ^= work_group_reduce_max(y) * {n}u;\n'
                          for n in range(count // 2)))


def cases(count):
    body = '  local uint shared[64];\n  for (uint step = 0; step < 4; ++step) {\n'
    body += f'    switch ((x + step) % {count}u) {{\n'
    body += ''.join(f'    case {n}: y = y * {n + 3}u + x; break;\n' for n in range(count))
    body += '    }\n    shared[get_local_id(0)] = y;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    x += shared[0];\n  }\n'
    return kernel(body)


def returns(count):
    body = ''.join(f'  if (x == {n * 7}u) {{\n    data[i] = y + {n}u;\n    return;\n  }}\n' for n in range(count))
    return kernel('  local uint shared[64];\n' + body + '  shared[get_local_id(0)] = x;\n'
                  '  barrier(CLK_LOCAL_MEM_FENCE);\n  y += shared[63 - get_local_id(0)];\n')


def functions(count):
    before = ''.join(f'uint f{n}(uint x, uint y) {{ return x * {n}u + (y >> {n % 31}); }}\n' for n in range(count // 2))
    return kernel(''.join(f'  x += f{n}(x, y);\n' for n in range(count // 2)), before)


def loops(count):
    return kernel(''.join(f'  for (uint n = 0; n < (x & 7u) + {n}u; ++n)\n    y += x * n;\n  x ^= y;\n' for n in range(count)))


FAMILIES = {  # name: the generator, and the sizes for --growth
    'statements': (statements, (1000, 3000, 5000, 10000, 30000)),
    'variables': (variables, (1250, 2500, 5000, 10000)),
    'components': (components, (200, 400, 800, 1600)),
    'collectives': (collectives, (40, 80, 160)),
    'branches': (branches, (750, 1500, 3000)),
    'barriers': (barriers, (750, 1500, 3000)),
    'cases': (cases, (200, 400, 800, 1600)),
    'returns': (returns, (375, 750, 1500, 3000)),
    'functions': (functions, (750, 1500, 3000)),
    'loops': (loops, (500, 1000, 2000, 4000)),
}
TEN = [('1 statement', statements(1)), ('30 statements', statements(30)), ('10 loops', loops(10)),
       ('40 barriers', barriers(160)), ('100 branches', branches(200)), ('100 cases', cases(100)),
       ('300 functions', functions(600)), ('1,000 statements', statements(1000)), ('1,600 cases', cases(1600)),
       ('3,000 returns', returns(3000))]

# ---- measuring ----------------------------------------------------------------------------------------------------------


def run(command):
    """Runs a command. Returns its processor time in seconds, its standard error, and its peak memory in bytes."""
    with tempfile.TemporaryFile('w+') as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        text = errors.read()
    if process.returncode:
        sys.exit(f'{" ".join(map(str, command))} failed: {text}')
    return usage.ru_utime + usage.ru_stime, text, usage.ru_maxrss * 1024


def count(command, counts):
    """Runs a command. Returns its instructions in millions and its peak memory in bytes."""
    _, text, memory = run(['perf', 'stat', '-x', ',', '-e', 'instructions:u', '-o', counts, *command])
    return float(re.search(r'^(\d+),', counts.read_text(), re.M)[1]) / 1e6, memory


def compile_once(build, source, instructions):
    """Returns milliseconds (or millions of instructions) of the front end and of kilnc's parts, and the higher peak
    memory of the two processes."""
    with tempfile.TemporaryDirectory() as folder:
        path, spirv, code, counts = (pathlib.Path(folder, name) for name in ('k.cl', 'k.spv', 'k.so', 'counts'))
        path.write_text(source)
        language = ['-cl-std=CL3.0'] if 'work_group_' in source else []
        front_end = [build / 'bin/kiln-clc', *language, path, '-o', spirv]
        if instructions:
            cost, memory = count(front_end, counts)
        else:
            seconds, _, memory = run(front_end)
            cost = seconds * 1000
        how = ['--times', '--count-instructions'] if instructions else ['--times']
        _, text, more = run([build / 'bin/kilnc', spirv, *how, '-o', code])
    parts = {name: float(value) for name, value in re.findall(r'time: (.+?) ([\d.]+) m', text)}
    return {'front end': cost, **parts}, max(memory, more)


def compile_parts(build, source, options):
    rounds = 1 if options.instructions else options.rounds
    results = [compile_once(build, source, options.instructions) for _ in range(rounds)]
    fastest = min(results, key=lambda result: sum(result[0].values()))
    return fastest[0], max(memory for _, memory in results)


class OpenCl:
    """The calls that build a kernel and launch it once."""

    def __init__(self, name):
        self.cl = cl = ctypes.CDLL('libOpenCL.so.1')
        for function in ('clCreateContext', 'clCreateCommandQueue', 'clCreateProgramWithSource', 'clCreateKernel', 'clCreateBuffer'):
            getattr(cl, function).restype = ctypes.c_void_p
        count = ctypes.c_uint()
        cl.clGetPlatformIDs(0, None, ctypes.byref(count))
        platforms = (ctypes.c_void_p * count.value)()
        cl.clGetPlatformIDs(count, platforms, None)
        text = ctypes.create_string_buffer(256)
        for platform in map(ctypes.c_void_p, platforms):
            cl.clGetPlatformInfo(platform, 0x0902, 256, text, None)
            if name.lower() in text.value.decode().lower():
                break
        else:
            sys.exit(f"no platform's name contains '{name}'")
        self.device = ctypes.c_void_p()
        self.check(cl.clGetDeviceIDs(platform, ctypes.c_ulong(0xffffffff), 1, ctypes.byref(self.device), None))
        self.context = ctypes.c_void_p(cl.clCreateContext(None, 1, ctypes.byref(self.device), None, None, None))
        self.queue = ctypes.c_void_p(cl.clCreateCommandQueue(self.context, self.device, ctypes.c_ulong(0), None))
        self.buffer = ctypes.c_void_p(cl.clCreateBuffer(self.context, ctypes.c_ulong(1), ctypes.c_size_t(256), None, None))

    @staticmethod
    def check(code):
        if code:
            sys.exit(f'an OpenCL call returned {code}')

    def build(self, source):
        """Builds and launches the kernel once. Returns the milliseconds of processor time."""
        cl, text = self.cl, ctypes.c_char_p(source.encode())
        start = time.process_time()
        program = ctypes.c_void_p(cl.clCreateProgramWithSource(self.context, 1, ctypes.byref(text), None, None))
        self.check(cl.clBuildProgram(program, 0, None, b'', None, None))
        function = ctypes.c_void_p(cl.clCreateKernel(program, b'k', None))
        self.check(cl.clSetKernelArg(function, 0, ctypes.c_size_t(8), ctypes.byref(self.buffer)))
        size = ctypes.c_size_t(64)
        self.check(cl.clEnqueueNDRangeKernel(self.queue, function, 1, None, ctypes.byref(size), ctypes.byref(size), 0, None, None))
        self.check(cl.clFinish(self.queue))
        return (time.process_time() - start) * 1000


def fresh(source):
    """Returns the kernel with a new constant: equal work for a compiler, but not in any cache."""
    return source.replace('data[i] = x ^ y;', f'data[i] = x ^ y ^ {time.time_ns() & 0x7fffffff}u;')


def build_in_child(platform, source, rounds):
    """Builds on another platform, in a child process and a temporary folder: the platform may crash or leave files."""
    command = [sys.executable, os.path.abspath(__file__), '.', '--against', platform, '--child', str(rounds)]
    with tempfile.TemporaryDirectory() as folder:
        child = subprocess.run(command, input=source, capture_output=True, text=True, cwd=folder)
    return f'{float(child.stdout):.1f} ms' if child.returncode == 0 else f'fails ({child.returncode})'


def child(platform, rounds):
    source, opencl = sys.stdin.read(), OpenCl(platform)
    opencl.build(fresh(TEN[0][1]))  # the platform's initialization is not measured
    print(min(opencl.build(fresh(source)) for _ in range(rounds)))


def ten_kernels(options):
    build, against, unit = options.build, options.against, 'M' if options.instructions else 'ms'
    columns = None
    for name, source in TEN:
        parts, memory = compile_parts(build, source, options)
        total = sum(parts.values())
        if not columns:
            columns = list(parts)
            print(''.join(f'{word:>18}' for word in ['kernel', *columns, 'together'] + ([against] if against else [])))
        cells = [f'{number:.1f} {unit}' for number in [*(parts[column] for column in columns), total]]
        if against:
            cells.append(build_in_child(against, source, options.rounds))
        print(f'{name:>18}' + ''.join(f'{cell:>18}' for cell in cells), flush=True)


def per_doubling(a, b):
    """Returns the growth factor of the time per doubling of the size, from a to b; both are (size, time)."""
    return 2 ** (math.log2(b[1] / a[1]) / math.log2(b[0] / a[0]))


def growth(options):
    """Prints one line per size; each number is followed by its growth factor per doubling since the previous line."""
    failed, unit = False, 'M' if options.instructions else 'ms'
    for family in options.growth or FAMILIES:
        generate, sizes = FAMILIES[family]
        last = first = None
        for size in sizes:
            parts, memory = compile_parts(options.build, generate(size), options)
            numbers = {'together': sum(parts.values()), **parts}

            def describe(name):
                factor = f' ({per_doubling((last[0], last[1][name]), (size, numbers[name])):.2f})' if last else ''
                return f'{name} {numbers[name]:.0f} {unit}{factor}'

            print(f'{family} {size}: {", ".join(map(describe, numbers))}; {memory >> 20} MiB', flush=True)
            failed |= memory >> 20 > MAX_MEGABYTES
            last = size, numbers
            first = first or last
        overall = per_doubling((first[0], first[1]['together']), (last[0], last[1]['together']))
        print(f'{family}: {overall:.2f} times for twice the size, from the smallest to the largest', flush=True)
        failed |= overall > MAX_PER_DOUBLING
    if failed:
        sys.exit(f'more than {MAX_PER_DOUBLING} times for twice the size, or more than {MAX_MEGABYTES} MiB')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('--against', metavar='NAME', help='also measure the OpenCL platform whose name contains NAME')
    parser.add_argument('--growth', nargs='*', choices=list(FAMILIES), help='all kernels, or the named ones')
    parser.add_argument('--rounds', type=int, default=3, help='compilations per kernel, of which the fastest counts (3)')
    parser.add_argument('--instructions', action='store_true', help='count instructions with perf instead of time')
    parser.add_argument('--child', type=int, help=argparse.SUPPRESS)
    parser.add_argument('--print', nargs=2, metavar=('FAMILY', 'SIZE'), help='write a kernel to standard output')
    options = parser.parse_args()
    if options.child:
        child(options.against, options.child)
    elif options.print:
        print(FAMILIES[options.print[0]][0](int(options.print[1])))
    elif options.growth is not None:
        growth(options)
    else:
        ten_kernels(options)


if __name__ == '__main__':
    main()

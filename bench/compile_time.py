#!/usr/bin/env python3
"""How long does a kernel compile, where does the time go, and how does it grow with the kernel?

  bench/compile_time.py BUILD                        ten kernels, a column for each part of the compiler
  bench/compile_time.py BUILD --against NAME         beside it what a platform of that name takes from source to the
                                                     end of the first launch
  bench/compile_time.py BUILD --growth               the same kernel at several sizes: the factor for each doubling, of
                                                     the whole and of each part, and the memory; fails where one from
                                                     end to end is more than what was promised (single steps meet
                                                     limits at which the compiler changes its ways)
  bench/compile_time.py BUILD --instructions ...     in instructions instead of milliseconds (perf has to be there):
                                                     the same in every round, whatever else the machine does

BUILD is Kiln's build folder. Every compilation of Kiln's is a process of its own. Times are processor time, which what
else a machine does changes little; of several rounds the fastest counts.
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

MOST_PER_DOUBLING = 2.2
MOST_MEGABYTES = 2048

# ---- kernels: each takes one buffer of 32-bit numbers -----------------------------------------------------------------


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


FAMILIES = {  # name: the generator, and the sizes that the growth is looked at
    'statements': (statements, (1000, 3000, 5000, 10000)),
    'variables': (variables, (1250, 2500, 5000, 10000)),
    'components': (components, (200, 400, 800, 1600)),
    'collectives': (collectives, (40, 80, 160)),
    'branches': (branches, (750, 1500, 3000)),
    'barriers': (barriers, (750, 1500, 3000)),
    'cases': (cases, (200, 400, 800, 1600)),
    'returns': (returns, (375, 750, 1500, 3000)),
    'functions': (functions, (750, 1500, 3000)),
}
TEN = [('1 statement', statements(1)), ('30 statements', statements(30)), ('10 loops', loops(10)),
       ('40 barriers', barriers(160)), ('100 branches', branches(200)), ('100 cases', cases(100)),
       ('300 functions', functions(600)), ('1,000 statements', statements(1000)), ('1,600 cases', cases(1600)),
       ('3,000 returns', returns(3000))]

# ---- measuring ----------------------------------------------------------------------------------------------------------


def run(command):
    """Its seconds of processor time, its standard error, and the most memory it took, in bytes."""
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
    """Instructions of a program, in millions, and the most memory it took."""
    _, text, memory = run(['perf', 'stat', '-x', ',', '-e', 'instructions:u', '-o', counts, *command])
    return float(re.search(r'^(\d+),', counts.read_text(), re.M)[1]) / 1e6, memory


def compile_once(build, source, instructions):
    """Milliseconds, or millions of instructions, of the front end and of kilnc's parts, and the most memory that one of
    the two took."""
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
        how = ['--times', '--instructions'] if instructions else ['--times']
        _, text, more = run([build / 'bin/kilnc', spirv, *how, '-o', code])
    parts = {name: float(value) for name, value in re.findall(r'time: (.+?) ([\d.]+) m', text)}
    return {'front end': cost, **parts}, max(memory, more)


def compile_parts(build, source, options):
    rounds = 1 if options.instructions else options.rounds
    results = [compile_once(build, source, options.instructions) for _ in range(rounds)]
    fastest = min(results, key=lambda result: sum(result[0].values()))
    return fastest[0], max(memory for _, memory in results)


class OpenCl:
    """As much of OpenCL as it takes to build a kernel and launch it once."""

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
            sys.exit(f'there is no platform {name}')
        self.device = ctypes.c_void_p()
        self.check(cl.clGetDeviceIDs(platform, ctypes.c_ulong(0xffffffff), 1, ctypes.byref(self.device), None))
        self.context = ctypes.c_void_p(cl.clCreateContext(None, 1, ctypes.byref(self.device), None, None, None))
        self.queue = ctypes.c_void_p(cl.clCreateCommandQueue(self.context, self.device, ctypes.c_ulong(0), None))
        self.buffer = ctypes.c_void_p(cl.clCreateBuffer(self.context, ctypes.c_ulong(1), ctypes.c_size_t(256), None, None))

    @staticmethod
    def check(code):
        if code:
            sys.exit(f'OpenCL says {code}')

    def build(self, source):
        """Milliseconds until the kernel has run once."""
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
    """The same kernel to a compiler, another one to a cache."""
    return source.replace('data[i] = x ^ y;', f'data[i] = x ^ y ^ {time.time_ns() & 0x7fffffff}u;')


def build_elsewhere(platform, source, rounds):
    """In a process and a folder of its own: a platform may not survive what it is given, and leave files behind."""
    command = [sys.executable, os.path.abspath(__file__), '.', '--against', platform, '--child', str(rounds)]
    with tempfile.TemporaryDirectory() as folder:
        child = subprocess.run(command, input=source, capture_output=True, text=True, cwd=folder)
    return f'{float(child.stdout):.1f} ms' if child.returncode == 0 else f'fails ({child.returncode})'


def child(platform, rounds):
    source, other = sys.stdin.read(), OpenCl(platform)
    other.build(fresh(TEN[0][1]))  # what a platform does once
    print(min(other.build(fresh(source)) for _ in range(rounds)))


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
            cells.append(build_elsewhere(against, source, options.rounds))
        print(f'{name:>18}' + ''.join(f'{cell:>18}' for cell in cells), flush=True)


def per_doubling(a, b):
    """The factor that the time of b over that of a is for each doubling between their sizes."""
    return 2 ** (math.log2(b[1] / a[1]) / math.log2(b[0] / a[0]))


def growth(options):
    """One line a size; behind each number the factor for twice the size that it is of the line before."""
    failed, unit = False, 'M' if options.instructions else 'ms'
    for family in options.growth or FAMILIES:
        generate, sizes = FAMILIES[family]
        last = first = None
        for size in sizes:
            parts, memory = compile_parts(options.build, generate(size), options)
            numbers = {'together': sum(parts.values()), **parts}

            def tell(name):
                factor = f' ({per_doubling((last[0], last[1][name]), (size, numbers[name])):.2f})' if last else ''
                return f'{name} {numbers[name]:.0f} {unit}{factor}'

            print(f'{family} {size}: {", ".join(map(tell, numbers))}; {memory >> 20} MiB', flush=True)
            failed |= memory >> 20 > MOST_MEGABYTES
            last = size, numbers
            first = first or last
        overall = per_doubling((first[0], first[1]['together']), (last[0], last[1]['together']))
        print(f'{family}: {overall:.2f} times for twice the size, from the smallest to the largest', flush=True)
        failed |= overall > MOST_PER_DOUBLING
    if failed:
        sys.exit(f'more than {MOST_PER_DOUBLING} times for twice the size, or more than {MOST_MEGABYTES} MiB')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('--against')
    parser.add_argument('--growth', nargs='*', choices=list(FAMILIES), help='all of them, or those named')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--instructions', action='store_true')
    parser.add_argument('--child', type=int, help=argparse.SUPPRESS)
    parser.add_argument('--print', nargs=2, metavar=('FAMILY', 'SIZE'), help='a kernel, to standard output')
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

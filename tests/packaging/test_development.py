#!/usr/bin/env python3
"""Installs Kiln in a folder, builds the template project outside of the tree with it, and runs its pass.

    test_development.py SOURCE BUILD COMPILER LLVM-VERSION
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def run(*command, expected=0, **more):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if result.returncode != expected:
        sys.exit(f"test_development.py: {command} ended with {result.returncode}:\n{result.stdout}{result.stderr}")
    return result.stdout + result.stderr


def check(right, sentence):
    if not right:
        sys.exit(f"test_development.py: {sentence}")


def main():
    source, build = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    compiler, llvm = sys.argv[3:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prefix, project = folder / "installed", folder / "project"
        for component in ("runtime", "compilers", "tools", "development"):
            run("cmake", "--install", build, "--component", component, "--prefix", prefix)
        installed = [str(file.relative_to(prefix)) for file in prefix.rglob("*") if file.is_file()]
        wrong = [file for file in installed if "/CMakeFiles/" in file or file.endswith((".cpp", ".o"))
                 and not file.startswith("share/kiln/template")]
        check(not wrong, f"files that do not belong into an installation: {wrong}")

        # The template's own two commands; the environment is that of a user who has installed into this prefix.
        shutil.copytree(prefix / "share/kiln/template", project)
        environment = {**os.environ, "CMAKE_PREFIX_PATH": str(prefix), "CXX": compiler, "KILN_CACHE": "off",
                       "OCL_ICD_VENDORS": f"{prefix}/etc/OpenCL/vendors/", "KILN_DEVICES": "cpu"}
        run("cmake", "-B", "build", cwd=project, env=environment)
        run("cmake", "--build", "build", cwd=project, env=environment)
        plugin = project / "build/libMultiplyToShift.so"
        needed = run("readelf", "--dynamic", plugin)
        check("libMLIR" not in needed and "libLLVM" not in needed, "the plug-in links LLVM, of which a process has one")

        text = run(prefix / "bin/kiln-opt", f"--load-pass-plugin={plugin}",
                   "--pass-pipeline=builtin.module(multiply-to-shift)", project / "multiply.mlir", env=environment)
        check("arith.shli" in text and text.count("arith.muli") == 1, f"the pass did not run:\n{text}")

        # In an application: the build of its program runs the pass. A pass that does not exist fails the build.
        kernel = folder / "k.cl"
        kernel.write_text("kernel void k(global int *a) { a[get_global_id(0)] *= 8; }\n")
        environment["KILN_PASS_PLUGINS"] = str(plugin)
        for passes, words in (("multiply-to-shift", "k.cl:k/Kiln/"), ("no-such-pass", "no-such-pass")):
            environment["KILN_PIPELINE_CPU"] = f"builtin.module({passes},kiln-common,kiln-group,kiln-cpu)"
            printed = run(prefix / "bin/kiln-bench", "--source", kernel, "--size", "64", "--seconds", "0.1",
                          env=environment, expected=0 if passes == "multiply-to-shift" else 1)
            check(words in printed, f"{passes}: {printed}")

        # A plug-in of another minor version is refused, in plain words, before it is loaded.
        content, mark = plugin.read_bytes(), b"KILN-PASS-PLUGIN for Kiln 0."
        check(content.count(mark) == 1, "the plug-in has no mark of its version")
        plugin.write_bytes(content.replace(mark + b"1", mark + b"9"))
        sentence = f"{plugin} was built for Kiln 0.9, LLVM {llvm}, this is Kiln 0.1, LLVM {llvm}; build it again"
        printed = run(prefix / "bin/kiln-opt", f"--load-pass-plugin={plugin}",
                      "--pass-pipeline=builtin.module(multiply-to-shift)", project / "multiply.mlir", expected=1)
        check(sentence in printed, f"kiln-opt: {printed}")
        environment["KILN_PIPELINE_CPU"] = "builtin.module(multiply-to-shift,kiln-common,kiln-group,kiln-cpu)"
        printed = run(prefix / "bin/kiln-bench", "--source", kernel, "--size", "64", "--seconds", "0.1",
                      env=environment, expected=1)
        check(sentence in printed, f"kilnc: {printed}")

        # A plug-in of this minor version that uses a function which the program does not have, as if a patch release had
        # removed it: a sentence, before the function is called.
        (folder / "missing").mkdir()
        text = (project / "MultiplyToShift.cpp").read_text()
        text = text.replace("namespace {", "void removedFunction();\nnamespace {", 1)
        text = text.replace("  void runOnOperation() override {", "  void runOnOperation() override {\n    removedFunction();", 1)
        (folder / "missing/MultiplyToShift.cpp").write_text(text)
        shutil.copy(project / "CMakeLists.txt", folder / "missing")
        run("cmake", "-B", "build", cwd=folder / "missing", env=environment)
        run("cmake", "--build", "build", cwd=folder / "missing", env=environment)
        missing = folder / "missing/build/libMultiplyToShift.so"
        sentence = f"{missing} does not fit Kiln 0.1, LLVM {llvm}: "
        for words in ([f"--load-pass-plugin={missing}"], ["--load-pass-plugin", missing]):
            printed = run(prefix / "bin/kiln-opt", *words, "--pass-pipeline=builtin.module(multiply-to-shift)",
                          project / "multiply.mlir", expected=1)
            check(sentence in printed and "undefined symbol: _Z15removedFunctionv; build it again" in printed,
                  f"kiln-opt: {printed}")
        printed = run(prefix / "bin/kiln-bench", "--source", kernel, "--size", "64", "--seconds", "0.1",
                      env={**environment, "KILN_PASS_PLUGINS": str(missing)}, expected=1)
        check(sentence in printed, f"kilnc: {printed}")

        # A project written for this patch release finds the next one, in which only the version differs.
        (folder / "next").mkdir()
        shutil.copytree(prefix, folder / "next/prefix", symlinks=True)
        file = folder / "next/prefix/lib/cmake/Kiln/KilnConfigVersion.cmake"
        check('"0.1.0"' in file.read_text(), "KilnConfigVersion.cmake has no version")
        file.write_text(file.read_text().replace('"0.1.0"', '"0.1.1"'))
        (folder / "next/CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(Next CXX)\n"
                                                    "find_package(Kiln 0.1.0 REQUIRED)\nmessage(\"found ${Kiln_VERSION}\")\n")
        printed = run("cmake", "-B", "build", cwd=folder / "next",
                      env={**environment, "CMAKE_PREFIX_PATH": str(folder / "next/prefix")})
        check("found 0.1.1" in printed, f"find_package(Kiln 0.1.0) does not find 0.1.1: {printed}")

        # The tutorial's commands, as it prints them.
        tutorial = [source / "tests/docs/run_page.py", source / "docs/tutorials/write-a-plug-in.md", "--path", prefix / "bin",
                    "--vendor", prefix / "etc/OpenCL/vendors/kiln.icd", "--replace",
                    f"/usr/share/kiln={prefix}/share/kiln", "--needs", "python:pyopencl"]
        for variable in ("CMAKE_PREFIX_PATH", "CXX", "KILN_DEVICES"):
            tutorial += ["--set", f"{variable}={environment[variable]}"]
        status = subprocess.run([sys.executable, *map(str, tutorial)]).returncode
        check(status in (0, 77), "the tutorial write-a-plug-in.md prints something else")

        # Another minor version does not match.
        (folder / "other").mkdir()
        (folder / "other/CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(Other CXX)\n"
                                                     "find_package(Kiln 0.2 REQUIRED)\n")
        printed = run("cmake", "-B", "build", cwd=folder / "other", env=environment, expected=1)
        check('requested version "0.2"' in printed, f"find_package(Kiln 0.2) succeeds: {printed}")
    print("development package: all right")


main()

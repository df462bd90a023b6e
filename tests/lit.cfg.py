# Configures lit for tests that are files with RUN lines. The build generates lit.site.cfg.py, which sets the kiln_ names.
import importlib.util
import os
import shutil
import subprocess
import sys

import lit.formats
from lit.llvm import llvm_config

config.name = "Kiln"
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.kiln_build + "/tests"
config.suffixes = [".mlir", ".spvasm", ".cl", ".clcpp", ".test"]
# Folders with inputs, and folders whose tests ctest runs.
config.excludes = ["Inputs", "api", "process", "tools", "fuzz"]

for folder in reversed(config.kiln_tools):
    llvm_config.with_environment("PATH", folder, append_path=True)
# The loader finds only this build's Kiln. Tests do not use the user's cache.
config.environment["OCL_ICD_VENDORS"] = config.kiln_build + "/api/"  # CUDA's loader needs the slash
config.environment["KILN_VARIANTS"] = "always"  # so that short tests run them
config.environment["KILN_CACHE_DIR"] = config.kiln_build + "/tests/cache"
for name in ("KILN_DEVICES", "KILN_CPU_DEVICES", "KILN_CPU_MACHINE_WIDTH", "KILN_PIPELINE_CPU", "KILN_HIP_LIBRARY", "KILN_EMULATED_GPU", "KILN_CHECK", "KILN_CHECK_REPORT", "KILN_CROSSCHECK",
             "KILN_CROSSCHECK_REPORT"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%kiln_lib", config.kiln_plugins))
config.substitutions.append(("%python", "\"" + sys.executable + "\""))
config.substitutions.append(("%kiln_source", os.path.dirname(config.test_source_root)))
config.substitutions.append(("%kiln_build", config.kiln_build))
# Every kernel that has a barrier and more than one block is compiled with passes/cpu/ResumePoints.cpp.
config.substitutions.append(("%resuming", "KILN_PIPELINE_CPU='builtin.module(kiln-common{max-blocks=0},kiln-group,kiln-cpu)'"))
# Functions with two calls are not inlined, even if they are small (passes/ocl/KeepCalls.cpp).
config.substitutions.append(("%calling",
                             "KILN_PIPELINE_CPU='builtin.module(kiln-common{max-kernel-ops=1},kiln-group,kiln-cpu)'"))
# Targets of kiln-opt: vector registers of 8 or 16 elements, without masks and permutes.
for width in (8, 16):
    config.substitutions.append((f"%cpu_{width}", "--ocl-set-target=target=cpu,"
                                 f"machine_width={width},register_bits={32 * width},vector_registers=16"))
config.available_features.update(["cpu", "llvm-" + config.kiln_llvm])
# NVIDIA's assembler, if CUDA's toolkit is installed. Kiln does not need it, but no driver accepts PTX that it rejects.
ptxas = shutil.which("ptxas", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/local/cuda/bin"]))
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
    # NVIDIA's compiler, whose code bench/cuda compares with Kiln's.
    if shutil.which("nvcc", path=os.path.dirname(ptxas)) and os.path.exists("/usr/local/cuda/include/cuda.h"):
        config.available_features.add("nvcc")
# Clang's SPIR-V target, as another producer of modules.
clang = shutil.which("clang", path=config.llvm_tools_dir)
if clang and subprocess.run([clang, "--target=spirv64", "-x", "cl", "-c", os.devnull, "-o", os.devnull],
                            capture_output=True).returncode == 0:
    config.available_features.add("clang-spirv")
    config.substitutions.append(("%clang_spirv", clang + " --target=spirv64"))
# The OpenCL loader of NVIDIA's toolkit.
if os.path.exists("/usr/local/cuda/lib64/libOpenCL.so.1"):
    config.available_features.add("cuda-loader")
    config.substitutions.append(("%cuda_loader", "/usr/local/cuda/lib64"))
# Third-party programs, which `./kiln test` installs.
for program in ("clinfo", "gdb", "valgrind"):
    if shutil.which(program):
        config.available_features.add(program)
# The programs of examples/cluster, which are built if StarPU and MPI are installed.
if shutil.which("mpirun") and os.path.exists(config.kiln_build + "/bin/kiln-cholesky"):
    config.available_features.add("cluster")
# The explorer's page is tested in Chromium.
if any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome", "chrome", "headless_shell")):
    config.available_features.add("chromium")
# perf may be installed but not permitted, or not match the Linux kernel.
if shutil.which("perf") and subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-o", "/dev/null", "true"],
                                           capture_output=True).returncode == 0:
    config.available_features.add("perf")
if subprocess.run(["/usr/bin/python3", "-c", "import pyopencl"], capture_output=True).returncode == 0:
    config.available_features.add("pyopencl")
# Kernel Tuner, which Debian has no package of, for the Python that runs lit.
if all(importlib.util.find_spec(name) for name in ("kernel_tuner", "pyopencl")):
    config.available_features.add("kernel-tuner")

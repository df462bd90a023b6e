"""Checks the data of the page of explored.cl.

usage: check-explored.py PAGE
"""
import pathlib
import sys

import explored

problems = []


def check(condition, sentence):
    if not condition:
        problems.append(sentence)


data = explored.read(sys.argv[1])
source = pathlib.Path(__file__).with_name("explored.cl").read_text()
html = pathlib.Path(sys.argv[1]).read_text()
check(data["files"][0]["text"] == source, "the page does not have the source")
check(html.count("</script>") == 2, "a text of the program ends a script element")
check("http://" not in html and "https://" not in html, "the page names an address")

names = [(variant["target"].split(":")[0], variant["variant"]) for variant in data["variants"]]
sized = "explored, local size 32x1x1"
check(names == [(target, variant) for target in ("cpu", "nvptx", "amdgpu") for variant in ("generic", sized)],
      f"the variants are {names}")
code_of = {"cpu": "assembly", "nvptx": "PTX", "amdgpu": "assembly"}
with_code = {10, 11, 12, 17}  # lines that no optimisation removes
for variant in data["variants"]:
    kind, where = variant["target"].split(":")[0], f"{variant['target']}, {variant['variant']}"
    stages = {stage["name"]: stage for stage in variant["stages"]}
    expected = ["SPIR-V", "ocl, imported", "ocl", *(["wg"] if kind == "cpu" else []), "LLVM dialect", "LLVM IR",
                "LLVM IR, optimised", code_of[kind]]
    check(list(stages) == expected, f"{where}: the stages are {list(stages)}, must be {expected}")
    for name, stage in stages.items():
        wanted = with_code if variant["variant"] == "generic" or "ocl" in name or name in ("SPIR-V", "wg") else with_code - {17}
        missing = wanted - explored.source_lines(variant, stage)
        check(not missing, f"{where}, {name}: nothing is linked with source lines {sorted(missing)}")
        lines = [line for line, _ in explored.lines_of(variant, stage)]
        check(not any("!dbg" in line or ".loc" in line.split() or "OpLine" in line for line in lines),
              f"{where}, {name}: debug information is left")
    # twice() is inlined: its multiplication came from its own line first, then from the call's.
    product = [places for line, places in explored.lines_of(variant, stages["LLVM IR"]) if "fmul" in line and
               places and places[0][1] == 3]
    check(product and all([line for _, line in places] == [3, 12] for places in product),
          f"{where}: the inlined multiplication is linked with {product}")
    changed = [p for p in variant["passes"] if p["changed"]]
    check(len(changed) > 10 and any(p["name"] == "sroa" or p["name"] == "instcombine" for p in variant["passes"]),
          f"{where}: the passes are missing")
    check(sum(p["ns"] for p in variant["passes"]) > 0, f"{where}: the passes have no times")
    facts = {(function, name): value for function, name, value in variant["facts"]}
    check(not any(function.startswith(("//", ";")) for function, _ in facts), f"{where}: a comment is a function")
    check(all(remark["author"] for remark in variant["remarks"]), f"{where}: a remark has no pass")
    if variant["variant"] == "generic":
        number = {"cpu": "vector registers", "nvptx": "virtual registers b32", "amdgpu": "VGPRs"}[kind]
        check(sum(name == number for _, name in facts) == 2, f"{where}: no {number} of each kernel in {facts}")
    costs = [(variant["lines"][line].split()[0], latency, interval) for line, latency, interval in variant["costs"]]
    check(bool(costs) == (kind != "nvptx") and all(0 <= latency < 500 and 0 < interval < 500 for _, latency, interval in costs),
          f"{where}: the costs are {costs}")
    if kind == "cpu":
        check(any(opcode.startswith("vmul") or opcode.startswith("vfma") for opcode, latency, _ in costs if latency >= 3),
              f"{where}: no multiplication has a latency: {costs}")
        check(any(remark["author"] == "wg-vectorize" for remark in variant["remarks"]), f"{where}: no remark of wg-vectorize")
        remarks = [(remark["text"], variant["links"][remark["link"]]) for remark in variant["remarks"]]
        check(any("'explored' is vectorized" in text and place for text, place in remarks),
              f"{where}: no remark about the vectorised kernel at a source line: {remarks}")
print("\n".join(problems) or "the page is right")
sys.exit(bool(problems))

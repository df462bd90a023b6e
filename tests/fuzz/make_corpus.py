#!/usr/bin/env python3
"""Assembles the importer's tests into seeds for its fuzzer: make_corpus.py SPIRV-AS FOLDER SOURCE...

A seed is one byte (even: validate first, odd: skip validation) and a module. Each module gives two seeds, one of each
kind. Each part of a source for split-file is a module. Modules that do not assemble are skipped."""
import pathlib
import re
import subprocess
import sys


def main(assembler, folder, *sources):
    corpus = pathlib.Path(folder)
    corpus.mkdir(parents=True, exist_ok=True)
    count = 0
    for source in sources:
        text = pathlib.Path(source).read_text(encoding='utf-8')
        for index, part in enumerate(re.split(r'(?m)^;--- .*$', text)):
            done = subprocess.run([assembler, '--preserve-numeric-ids', '-', '-o', '-'], input=part.encode(),
                                  capture_output=True, check=False)
            if done.returncode != 0:
                continue
            count += 1
            for skip_validation in (0, 1):
                (corpus / f'{pathlib.Path(source).stem}-{index}-{skip_validation}').write_bytes(bytes([skip_validation]) + done.stdout)
    print(f'{count} modules in {corpus}')


if __name__ == '__main__':
    main(*sys.argv[1:])

"""Reads SPIR-V's machine-readable grammar, and adds what the installed one is too old for (newer.grammar.json).

An entry of the installed grammar stays: newer.grammar.json is for Debian's spirv-headers of 2023, and later packages have
what it has.
"""
import json


def load(path):
    with open(path, encoding='utf-8') as file:
        return json.load(file)


def add_missing(entries, newer, key):
    known = {entry[key] for entry in entries}
    known.update(alias for entry in entries for alias in entry.get('aliases', []))
    entries += [entry for entry in newer if entry[key] not in known]


def core_grammar(core_path, newer_path):
    core, newer = load(core_path), load(newer_path)
    add_missing(core['instructions'], newer['instructions'], 'opname')
    kinds = {kind['kind']: kind for kind in core['operand_kinds']}
    for kind in newer['operand_kinds']:
        if kind['kind'] in kinds:
            add_missing(kinds[kind['kind']]['enumerants'], kind['enumerants'], 'enumerant')
        else:
            core['operand_kinds'].append(kind)
    return core

// Hints at instructions: what one does, and what a mask or a gather costs. The numbers of cycles are those of LLVM's
// model of the target's processor if the data has them; the others are typical of x86
// processors with AVX2 or AVX-512. Times of gathers, scatters, masks and branches are from
// docs/measurements/processors.md.

const X86_HINTS = [
  [/gather/, "gather: one load a lane. 16 floats from L1 took 0.55 times as long as 16 scalar loads on Emerald Rapids, as long from L2 and from memory; on Zen 4, scalar loads were faster"],
  [/scatter/, "scatter: one store a lane, 0.86 times as long as 16 scalar stores on Emerald Rapids; lanes that write the same line wait for one another"],
  [/^v?p?compress/, "compress: packs the active lanes; 3 to 6 cycles. To memory it is microcode on Zen 4, more than 100 cycles"],
  [/^v?p?expand/, "expand: spreads consecutive elements to the active lanes; 3 to 6 cycles"],
  [/^v?(div|sqrt)[sp]/, "division or root: 10 to 20 cycles, and the next one starts only 4 to 16 cycles later; wider vectors take longer"],
  [/^v?(rcp|rsqrt)/, "approximate reciprocal: 4 to 7 cycles; a Newton step follows if the precision needs it"],
  [/^i?div[bwlq]?$/, "integer division: 10 to 40 cycles, and it cannot be vectorized"],
  [/^vfn?m(add|sub)|^vf(addsub|subadd)/, "fused multiply-add: 4 cycles, two a cycle"],
  [/^v?(add|sub|min|max)[sp][sdh]|^v?mul[sp][sdh]/, "floating-point arithmetic: 3 to 4 cycles, two a cycle"],
  [/^v?cvt|^v?round|^v?rndscale/, "conversion or rounding: 4 to 8 cycles; between vector and general registers 2 or 3 more"],
  [/^v?pmull[dq]|^v?pmuludq|^v?pmuldq/, "vector multiplication of integers: 5 cycles; 10 or more for 32-bit and 64-bit results"],
  [/^i?mul/, "multiplication: 3 to 4 cycles, one a cycle"],
  [/^v?perm[tiwdqpsb]|^vp?permt|^vpermi2|^v?perm/, "permute across lanes of 128 bits: 3 cycles, one a cycle (the shuffle port limits)"],
  [/^v?(p?shuf|unpck|punpck|palignr|p?blend|movddup|movs[hl]dup|insert|extract|broadcast|pbroadcast|shuf[fi])/, "shuffle: 1 cycle within 128 bits, 3 across; one or two a cycle"],
  [/^k(ortest|test)/, "tests a mask for a branch: 1 to 3 cycles; here lanes decide whether the vector body goes on"],
  [/^k\w+/, "mask register: 1 cycle between masks, 3 to or from a general register"],
  [/^v?p?movmsk/, "mask of a vector to a general register: 3 to 5 cycles, usually before a branch"],
  [/^v?p?maskmov/, "masked access without mask registers: a load costs as usual; a store is split on AMD's processors"],
  [/^v?p?cmp|^v?u?comis|^v?ptest|^vptestn?m/, "comparison: 1 to 4 cycles; into a mask register 3"],
  [/^mov[bwlq]?$|^movabs/, "move: between registers free or 1 cycle"],
  [/^v?movnt/, "streaming store: goes past the caches; good only for data that is not read soon"],
  [/^v?(mov[aud]|movups|movapd|movdq|lddqu|movss|movsd|movq|movd)/, "move: between registers free or 1 cycle"],
  [/^lock$|^xchg|^cmpxchg|^xadd/, "atomic: about 20 cycles if no other core has the line, hundreds if one does"],
  [/^[ml]fence|^sfence/, "fence: waits for accesses before it; about 30 cycles"],
  [/^call/, "call: arguments and vector registers are saved around it; a math function takes 10 to 100 cycles"],
  [/^ret/, "return"],
  [/^vzero(upper|all)/, "clears upper halves of registers, so that code without AVX is not slowed down"],
  [/^j(mp)?$/, "jump: free if predicted"],
  [/^j\w+/, "branch: free if predicted, about 20 cycles if not: as eight vector operations"],
  [/^set\w+|^cmov\w+/, "chooses without a branch: 1 cycle"],
  [/^(push|pop)/, "saves or restores a register of the caller"],
  [/^(rep|movs[bwlq]?|stos[bwlq]?)$/, "copies or fills memory: about 30 cycles to start, then 32 bytes or more a cycle"],
  [/^lea/, "address arithmetic without an access: 1 cycle, or 3 with three parts"],
  [/^(prefetch\w*)/, "asks for a cache line before it is needed; an address that is not mapped is harmless"],
  [/^v?p?(and|or|xor|andn|ternlog)[a-z]*/, "bitwise: 1 cycle, two or three a cycle"],
  [/^v?p?(add|sub|sll|srl|sra|abs|min|max|avg|rol|ror)[a-z]*/, "integer arithmetic: 1 cycle, two or three a cycle"],
  [/^(add|sub|inc|dec|neg|not|and|or|xor|test|cmp|shl|shr|sar|rol|ror|bt\w*|lzcnt|tzcnt|popcnt|bsf|bsr|bsw\w*|shlx|shrx|sarx|mov\w*|nop\w*)/, "1 cycle, three or four a cycle"],
];
const PTX_HINTS = [
  [/^ld\.global|^ldu?\.(?!param|shared|const|local)/, "load from global memory: 200 to 800 cycles, 30 from L1; a warp's consecutive addresses are one access"],
  [/^ld\.shared|^st\.shared/, "shared memory: about 25 cycles; addresses in one of 32 banks wait for one another"],
  [/^(ld|st)\.local/, "private memory in global memory, through the caches: a spill or an indexed private array"],
  [/^ld\.(param|const)/, "constant bank: a few cycles if the warp reads one address"],
  [/^st\.global|^st\.(?!param)/, "store to global memory; a warp's consecutive addresses are one access"],
  [/^atom|^red/, "atomic: performed in L2, one after the other for one address; red returns nothing and is not waited for"],
  [/^bar|^barrier/, "barrier of the work-group: waits for the slowest warp"],
  [/^(shfl|vote|match|redux|activemask)/, "exchange within a warp: about 25 cycles, no memory"],
  [/^(div|sqrt|rcp|rsqrt|sin|cos|ex2|lg2|tanh)/, "special function: a quarter of the rate of an addition or less; exact division is a sequence of instructions"],
  [/^fma|^mad|^mul|^add|^sub|^min|^max/, "4 cycles; f64 has half to a 64th of the rate of f32, by the model of GPU"],
  [/^setp/, "comparison into a predicate: 4 to 6 cycles; instructions under @%p run for the lanes where it holds"],
  [/^bra|^brx/, "branch: lanes that disagree run both sides one after the other"],
  [/^cvt/, "conversion: a quarter of the rate of an addition; address-space conversions (cvta) are cheap"],
  [/^(tex|suld|sust|tld4)/, "texture or surface unit: about 400 cycles; filtering is free"],
];
const AMD_HINTS = [
  [/^(global|flat|buffer)_atomic/, "atomic: performed in L2; with a result, the wave waits for it"],
  [/^(global|flat|buffer)_load/, "load from global memory: 300 to 800 cycles, 120 from L1; s_waitcnt vmcnt waits for it"],
  [/^(global|flat|buffer)_store/, "store to global memory; consecutive addresses of a wave are one access"],
  [/^scratch_/, "private memory: a spill or an indexed private array"],
  [/^ds_(bpermute|permute|swizzle)/, "exchange within a wave through the crossbar of local memory: about 50 cycles"],
  [/^ds_/, "local memory: 64 cycles or more; addresses in one of 32 banks wait for one another"],
  [/^s_wait/, "waits for memory: here the latency of the loads before it is paid"],
  [/^s_barrier/, "barrier of the work-group: waits for the slowest wave"],
  [/^s_(c?branch|setpc|swappc)/, "branch of the whole wave; lanes that disagree are masked by exec, and both sides run"],
  [/^s_load|^s_buffer_load/, "scalar load, one value for the wave: about 50 cycles from the scalar cache"],
  [/^s_(and|or|xor|andn2|and_not1)\w*(saveexec|_b64|_b32)/, "scalar; on exec it switches lanes off or on"],
  [/^s_/, "scalar: once for the wave, beside the vector instructions"],
  [/^v_(rcp|rsq|sqrt|sin|cos|exp|log)/, "special function: a quarter of the rate of an addition"],
  [/^v_div/, "part of an exact division, which takes about ten instructions"],
  [/_f64/, "64-bit floating point: half the rate of f32 on MI GPUs, a 16th or less on others"],
  [/^v_mfma|^v_wmma|^v_smfmac/, "matrix multiplication of a wave: 8 to 64 cycles"],
  [/^v_cmpx?/, "comparison into a mask of lanes: 1 issue"],
  [/^v_(read|write)(first)?lane/, "between a vector register and a scalar one; the wave waits a few cycles"],
  [/^v_/, "vector: one issue for the wave, 4 to 8 cycles until the result"],
];
const X86_MNEMONIC = /^\s+(?:(lock|rep\w*)\s+)?([a-z][\w.]*)/;

/// A hint at a line of assembly; "" if there is none.
function hintFor(row, language, target) {
  const found = X86_MNEMONIC.exec(row.text);
  if (!found || row.kind === "fold") return "";
  const code = row.text.replace(/\s*(#|\/\/|;).*/, "");
  let mnemonic = found[2];
  if (language === "ptx") {
    const predicated = /^\s+@!?(%\w+)\s+([a-z][\w.]*)/.exec(row.text);
    if (predicated) mnemonic = predicated[2];
    const rule = PTX_HINTS.find(([test]) => test.test(mnemonic));
    return rule ? mnemonic + ": " + rule[1] : "";
  }
  if (!target.startsWith("cpu")) {
    const rule = AMD_HINTS.find(([test]) => test.test(mnemonic));
    return rule ? mnemonic + ": " + costWords(row.cost) + rule[1] : "";
  }
  if (found[1]) mnemonic = found[1];
  const rule = X86_HINTS.find(([test]) => test.test(mnemonic));
  const parts = [];
  if (rule) parts.push(rule[1]);
  const isMasked = /\{%?k[1-7]\}/.test(code), isMemory = /\(%|\[|\(,/.test(code) && !/^(lea|nop|prefetch)/.test(mnemonic);
  if (isMasked && isMemory && /^v?(p?mov|movu|mova)/.test(mnemonic))
    parts.push("masked access: lanes that are off do not fault. It took 1.3 times as long as a whole vector from L1 on Emerald Rapids; a load right after a masked store waits for it");
  else if (isMasked) parts.push(/\{z\}/.test(code) ? "masked: free; lanes that are off become 0" : "masked: free, but waits for the register's old value");
  if (isMemory && !/gather|scatter/.test(mnemonic)) parts.push("accesses memory: 5 to 8 cycles from L1, 14 from L2, 50 to 100 from L3");
  if (/Spill/.test(row.text)) parts.push("spill: LLVM has no register left and stores the value in the stack");
  if (/Reload/.test(row.text)) parts.push("reload of a spilled value");
  return parts.length ? mnemonic + ": " + costWords(row.cost) + parts.join("; ") : "";
}

function costWords(cost) {
  if (!cost) return "";
  const [latency, interval] = cost;
  const rate = interval >= 1 ? "one every " + Number(interval.toFixed(1)) + " cycles" : Number((1 / interval).toFixed(1)) + " a cycle";
  return plural(latency, "cycle") + ", " + rate.replace("every 1 cycles", "a cycle") + " in LLVM's model of this processor. ";
}

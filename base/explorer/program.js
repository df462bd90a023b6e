// The data of the page, README.md describes it: source files, variants, and the exploration that the page is compared
// with. All text of the program is set as textContent, never as HTML.

const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const NONE = [];
const plural = (count, noun) => count + " " + noun + (count === 1 ? "" : noun.endsWith("s") ? "es" : "s");
const MAX_LINES = 100000; // of a file whose text the page does not have: a line directive can name any line

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "class") made.className = value;
    else made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// ---- the source: all files, one after the other; a global line is an index into them ------------------------------

const VECTORS = "wg, vectorized"; // a stage that the page adds
const files = []; // {name, lines, hasText, base}: global line = base + line, from 1
const variants = [];
const baseName = (path) => path.slice(path.lastIndexOf("/") + 1);

/// Adds a program's files and variants. `origin` names the page that they are from; "" for this one.
function addProgram(program, origin) {
  const own = []; // indices of the program's files
  for (const file of program.files) {
    const lines = file.text.replace(/\n$/, "").split("\n");
    // A file that both programs have counts once, so that its lines are linked with both.
    const text = lines.join("\n");
    let index = files.findIndex((other) => other.hasText && baseName(other.name) === baseName(file.name) && other.lines.join("\n") === text);
    if (index < 0) index = files.push({name: file.name, lines, hasText: true, origin}) - 1;
    own.push({name: file.name, index});
  }
  const fileOf = (name) => {
    let found = own.find((file) => file.name === name);
    if (!found) {
      const similar = own.filter((file) => files[file.index].hasText && baseName(file.name) === baseName(name));
      if (similar.length === 1) found = similar[0];
    }
    if (!found) own.push((found = {name, index: files.push({name, lines: [], hasText: false, origin}) - 1}));
    return found.index;
  };
  for (const variant of program.variants) {
    variant.origin = origin;
    // By line: latency, and the cycles between two of the instruction's kind. Pages of older versions have none.
    variant.costOf = new Map((variant.costs || NONE).map(([line, latency, interval]) => [line, [latency, interval]]));
    variant.fileIndices = variant.files.map(fileOf);
    for (const link of variant.links)
      for (let i = 0; i < link.length; i += 2) {
        const file = files[variant.fileIndices[link[i]]];
        if (!file.hasText) while (file.lines.length < Math.min(link[i + 1], MAX_LINES)) file.lines.push("");
      }
    nameVectorStage(variant);
    for (const pass of variant.passes) {
      const next = variant.stages[Math.min(pass.stage, variant.stages.length - 1)];
      pass.language = next && (next.language === "asm" || next.language === "ptx") ? "llvm" : next ? next.language : "mlir";
    }
    variant.name = variant.target + " " + variant.variant + (origin ? " (" + origin + ")" : "");
    variants.push(variant);
  }
}

/// Makes the result of the last wg-vectorize, if it has vectors, a stage of its own.
function nameVectorStage(variant) {
  const last = variant.passes.findLastIndex((pass) => pass.name === "wg-vectorize" && pass.changed && pass.text !== null);
  if (last < 0) return;
  const {stage, text} = variant.passes[last];
  if (!variant.texts[text].lines.some((line) => /^\s*\} lanes \d/.test(variant.lines[line]))) return;
  variant.stages.splice(stage, 0, {name: VECTORS, language: "mlir", text});
  variant.passes.forEach((pass, i) => { if (i > last) pass.stage++; });
}

/// Numbers the lines of all files, and names the variants that have the same target and values by their passes.
function numberLines() {
  let count = 0;
  for (const file of files) {
    file.base = count;
    count += file.lines.length;
  }
  for (const variant of variants) {
    variant.global = variant.links.map((link) => {
      const lines = [];
      for (let i = 0; i < link.length; i += 2) {
        const file = files[variant.fileIndices[link[i]]];
        if (link[i + 1] <= file.lines.length) lines.push(file.base + link[i + 1]);
      }
      return lines;
    });
    variant.linked = new Set(variant.global.flat()); // source lines that have code in a stage or after a pass
  }
  // One colour a source line that has code: neighbours differ, and all panes use the same.
  hues.clear();
  const lines = [...new Set(variants.flatMap((variant) => [...variant.linked]))].sort((a, b) => a - b);
  lines.forEach((line, i) => hues.set(line, Math.round(i * 137.5) % 360));
}
const hues = new Map();

addProgram(data, "");
if (data.compared) addProgram(data.compared.data, data.compared.name);
numberLines();

const fileWith = (global) => files.find((file) => global > file.base && global <= file.base + file.lines.length);
const lineIn = (global) => global - fileWith(global).base;
const placeOf = (global) => baseName(fileWith(global).name) + ":" + lineIn(global);
/// The global line of a place as placeOf writes it; 0 if there is none.
function lineAt(place) {
  const colon = place.lastIndexOf(":"), line = Number(place.slice(colon + 1));
  const file = files.find((f) => baseName(f.name) === place.slice(0, colon) && line >= 1 && line <= f.lines.length);
  return file ? file.base + line : 0;
}

// PTX is the assembly of NVIDIA's GPUs: a pane keeps showing the last stage when the variant changes.
const roleOf = (stage) => (stage.name === "PTX" ? "assembly" : stage.name);
const stageWith = (variant, role) => variant.stages.find((stage) => roleOf(stage) === role);
/// The stage that explains most: on a CPU the regions, as vectors if they are; on a GPU what the optimiser made.
function bestRole(variant) {
  return [VECTORS, "wg", "LLVM IR, optimised", "ocl"].find((role) => variant && stageWith(variant, role)) || "assembly";
}

// Documents: what a pane shows. A row is {text, links, number, kind}; links are global source lines. Parts of a document
// can be folded: ranges of rows that one row stands for until it is opened.

const LONGEST = 1500; // characters of a line that are shown
const FOLD = 6; // lines without a source line, in a row, that are folded

class Document {
  /// `folds`: ranges [begin, end) of rows. `opened`: the keys of those that are open.
  constructor(language, all, folds = NONE, opened = new Set(), what = "lines without source") {
    this.language = language;
    this.all = all;
    this.folds = folds;
    this.opened = opened;
    this.foldName = what;
    let longest = 0;
    for (const row of all) longest = Math.max(longest, row.text.length + (row.badge ? 24 : 0));
    this.width = Math.min(longest, LONGEST);
    this.refold();
  }

  /// Computes the rows that are shown from those that are folded.
  refold() {
    this.index = null;
    this.rows = this.all;
    if (!state.isFolded || !this.folds.length) return;
    this.rows = [];
    let at = 0;
    for (const [begin, end] of this.folds) {
      while (at < begin) this.rows.push(this.all[at++]);
      if (this.opened.has(this.keyOf(begin))) continue;
      this.rows.push({text: "\u22ef " + (end - begin) + " " + this.foldName, links: NONE, number: "", kind: "fold", begin});
      at = end;
    }
    while (at < this.all.length) this.rows.push(this.all[at++]);
  }

  /// A fold's name, which stays when remarks above it are opened.
  keyOf(begin) {
    return this.all[begin].links[0] || "row " + begin;
  }

  open(begin) {
    this.opened.add(this.keyOf(begin));
    this.refold();
  }

  /// Opens what hides a row, and returns the row's index among those that are shown.
  show(row) {
    let at = this.rows.indexOf(row);
    if (at >= 0) return at;
    const index = this.all.indexOf(row), fold = this.folds.find(([begin, end]) => begin <= index && index < end);
    if (!fold) return -1;
    this.open(fold[0]);
    return this.rows.indexOf(row);
  }

  /// The rows that came from a source line.
  rowsOf(global) {
    if (!this.index) {
      this.index = new Map();
      this.rows.forEach((row, i) => {
        for (const line of row.links) {
          const list = this.index.get(line);
          if (list) list.push(i);
          else this.index.set(line, [i]);
        }
      });
    }
    return this.index.get(global) || [];
  }
}

/// The runs of at least FOLD rows for which `isEmpty` returns true.
function emptyRanges(rows, isEmpty) {
  const ranges = [];
  for (let i = 0; i < rows.length; i++) {
    const begin = i;
    while (i < rows.length && isEmpty(rows[i])) i++;
    if (i - begin >= FOLD) ranges.push([begin, i]);
  }
  return ranges;
}

// The start of a function, which stays when the lines around it are folded.
const HEADING = /^(?:define\b|\s*(?:llvm\.|gpu\.)?func\b|\s*(?:llvm|gpu|func)\.func\b|\s*(?:\.visible )?\.(?:entry|func)\b|[A-Za-z_][\w$.]*:|%\w+ = OpFunction\b)/;

function textRows(variant, text) {
  const {lines, links} = variant.texts[text];
  return lines.map((line, i) => ({text: variant.lines[line], links: variant.global[links[i]], number: i + 1, kind: "", cost: variant.costOf.get(line)}));
}

function textDocument(variant, text, language, opened) {
  const rows = textRows(variant, text);
  return new Document(language, rows, emptyRanges(rows, (row) => !row.links.length && !HEADING.test(row.text)), opened);
}

function noteDocument(text) {
  return new Document("text", [{text, links: NONE, number: "", kind: "file"}]);
}

/// A pass's result as a difference to the text before it.
function diffDocument(variant, before, after, language) {
  const a = variant.texts[before], b = variant.texts[after];
  const {script, isWhole} = difference(keysOf(variant, before), keysOf(variant, after));
  const rows = script.map(([kind, x, y]) => {
    const from = kind === "-" ? a : b, at = kind === "-" ? x : y;
    return {text: kind + " " + variant.lines[from.lines[at]], links: variant.global[from.links[at]], number: at + 1, kind: kind === "+" ? "add" : kind === "-" ? "remove" : ""};
  });
  const folds = equalRanges(script.map(([kind]) => kind === " "));
  if (isWhole) return new Document(language, [tooMany(), ...rows]);
  return new Document(language, rows, folds, new Set(), "equal lines");
}

const tooMany = () => ({text: "more than " + MAX_EDITS + " lines differ: all lines are shown as removed and added", links: NONE, number: "", kind: "file"});

// ---- the source, with a badge on each line that has remarks --------------------------------------------------------

// What a badge says: the first of these that a line has.
const BADGES = [
  ["bad", "not vectorized", (r) => / is not vectorized/.test(r.text)],
  ["good", "vectorized", (r) => / is vectorized/.test(r.text)],
  ["bad", "spills", (r) => r.author === "regalloc" && /spill/i.test(r.text)],
  ["bad", "missed", (r) => r.kind === "missed"],
  ["good", "unrolled", (r) => /unroll/i.test(r.author)],
  ["good", "optimised", (r) => r.kind === "passed"],
  ["note", "note", () => true],
];

const badgeKind = (remarks) => BADGES.find(([, , test]) => remarks.some(test));

function badgeOf(remarks) {
  const [kind, name] = badgeKind(remarks);
  const width = name === "vectorized" && remarks.map((r) => / is vectorized: (\d+) work-items/.exec(r.text)).find(Boolean);
  const spills = name === "spills" && remarks.map((r) => /(\d+) spills/.exec(r.text)).find(Boolean);
  return {kind, text: (spills ? spills[1] + " " : "") + name + (width ? " \u00d7" + width[1] : "") + (remarks.length > 1 ? " +" + (remarks.length - 1) : ""),
          title: remarks.map(remarkText).join("\n")};
}

/// The text of a remark. The register allocator's, as "2 spills 8.448000e+03 total spills cost", is made readable.
function remarkText(remark) {
  const text = remark.text.replace(/\s+/g, " ").replace(/(\d+) (folded spills|spills|folded reloads|reloads|virtual registers copies) ([\d.e+-]+) total [a-z ]+? cost/g,
    (_, count, what, cost) => plural(Number(count), what.replace(/s$/, "").replace("virtual registers copie", "copy")).replace("copys", "copies") + " (cost " + Number(cost) + "),").replace(/, ?generated in/, " in the");
  return remark.author + ": " + text + (remark.count > 1 ? " (" + remark.count + " times)" : "");
}

/// Splits a text at spaces into lines of at most `columns` characters.
function wrap(text, columns) {
  const lines = [""];
  for (const word of text.split(" ")) {
    if (lines.at(-1) && lines.at(-1).length + word.length > columns) lines.push("");
    lines[lines.length - 1] += (lines.at(-1) ? " " : "") + word;
  }
  return lines;
}

function remarksByLine(variant) {
  const remarks = new Map();
  for (const remark of variant ? variant.remarks : NONE) {
    const line = variant.global[remark.link][0];
    if (!line) continue;
    if (!remarks.has(line)) remarks.set(line, []);
    remarks.get(line).push(remark);
  }
  return remarks;
}

/// `columns`: characters of a line of an opened remark.
function sourceDocument(variant, opened, columns) {
  const remarks = remarksByLine(variant);
  const rows = [];
  for (const file of files) {
    if (files.length > 1 || !file.hasText)
      rows.push({text: file.name + (file.origin ? " (" + file.origin + ")" : "") + (file.hasText ? "" : " (the page does not have its text)"), links: NONE, number: "", kind: "file"});
    file.lines.forEach((text, i) => {
      const global = file.base + i + 1, own = remarks.get(global);
      rows.push({text, links: [global], number: i + 1, kind: "source", badge: own && badgeOf(own)});
      if (own && state.openRemarks.has(global))
        for (const remark of own)
          for (const [part, line] of wrap(remarkText(remark), columns).entries())
            rows.push({text: (part ? "    " : "  ") + line, links: [global], number: "", kind: "remark " + badgeKind([remark])[0]});
    });
  }
  return new Document("c", rows, emptyRanges(rows, (row) => row.kind === "source" && !row.badge && !(variant && variant.linked.has(row.links[0]))), opened, "lines without code");
}

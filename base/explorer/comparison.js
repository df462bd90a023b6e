// The comparison of two variants, pass by pass: two devices, two pipelines, two versions of Kiln. Passes and stages of
// both are aligned by their names; a row is a pass or a stage that one of them or both have.

const comparison = {
  isOn: false, isBarOpen: false, a: 0, b: 1, // indices of variants
  rows: NONE, // {name, on, isStage, a, b, verdict}; a and b: {index, text, language, ns, changed} or null
  at: -1, // the row that the panes show

  /// The stages of a variant and, before each, the passes that lead to it.
  unitsOf(variant) {
    const units = [];
    variant.stages.forEach((stage, number) => {
      let last = number ? variant.stages[number - 1].text : null;
      variant.passes.forEach((pass, index) => {
        if (pass.stage !== number) return;
        if (pass.changed) last = pass.text;
        units.push({key: "pass " + pass.name + "\0" + pass.on, name: pass.name, on: pass.on, isStage: false, index, text: last, language: pass.language, ns: pass.ns, changed: pass.changed});
      });
      units.push({key: "stage " + roleOf(stage), name: stage.name, on: "", isStage: true, index: number, text: stage.text, language: stage.language, ns: 0, changed: true});
    });
    return units;
  },

  compute() {
    const a = variants[this.a], b = variants[this.b], unitsA = this.unitsOf(a), unitsB = this.unitsOf(b);
    const ids = new Map(), idsOf = (units) => units.map(({key}) => ids.get(key) ?? (ids.set(key, ids.size), ids.size - 1));
    this.rows = [];
    this.unchanged = 0;
    let lastA = null, lastB = null; // the texts that a step starts from
    for (const [kind, x, y] of difference(idsOf(unitsA), idsOf(unitsB)).script) {
      const one = kind === "+" ? null : unitsA[x], other = kind === "-" ? null : unitsB[y], unit = one || other;
      if (one) lastA = one.text;
      if (other) lastB = other.text;
      if (!(one && one.changed) && !(other && other.changed)) {
        this.unchanged++;
        continue;
      }
      // A stage is a name for the text of that moment, also if the other variant has no such name: a pipeline of one's own
      // has only those at its ends.
      const isPair = (one && other) || unit.isStage;
      const verdict = !isPair ? (one ? "only A" : "only B") : lastA === null || lastB === null ? "unknown" : isSame(a, lastA, b, lastB) ? "equal" : "different";
      this.rows.push({name: unit.name, on: unit.on, isStage: unit.isStage, a: one, b: other, verdict});
    }
  },

  /// The first row whose results differ, or that one of them does not have: -1 if there is none.
  firstDifference() {
    return this.rows.findIndex((row) => row.verdict !== "equal" && row.verdict !== "unknown");
  },

  /// Starts to compare two variants, at the first difference or at a row.
  start(a, b, at) {
    if (variants.length < 2) return;
    this.isOn = true;
    this.a = a, this.b = b;
    state.variant = a;
    this.compute();
    this.at = at ?? Math.max(0, this.firstDifference());
    this.make();
  },

  /// What a side of the row shows. A pass that only the other side has shows the text before it, to see what the pass did.
  textOf(side) {
    const row = this.rows[this.at], unit = row && row[side];
    if (unit) return unit;
    for (let i = this.at - 1; row && i >= 0; i--) if (this.rows[i][side]) return this.rows[i][side];
    return null;
  },

  /// Makes the documents of both panes: equal lines beside each other, and blank rows where one side has none.
  make() {
    const row = this.rows[this.at], one = this.textOf("a"), other = this.textOf("b");
    if (!one || !other || one.text === null || other.text === null) {
      const note = noteDocument(!row ? "Nothing is compared." : "The page has no text of this step: the limit of a variant's text is exceeded.");
      this.documents = {a: note, b: note};
      return;
    }
    const va = variants[this.a], vb = variants[this.b], rowsA = textRows(va, one.text), rowsB = textRows(vb, other.text);
    const {script, isWhole} = difference(comparedKeysOf(va, one.text), comparedKeysOf(vb, other.text));
    const left = [], right = [], blank = () => ({text: "", links: NONE, number: "", kind: "blank"});
    let removed = [], added = [];
    const flush = () => {
      for (let i = 0; i < Math.max(removed.length, added.length); i++) {
        left.push(removed[i] ? {...removed[i], kind: "remove"} : blank());
        right.push(added[i] ? {...added[i], kind: "add"} : blank());
      }
      removed = [], added = [];
    };
    for (const [kind, x, y] of script) {
      if (kind === "-") removed.push(rowsA[x]);
      else if (kind === "+") added.push(rowsB[y]);
      else flush(), left.push(rowsA[x]), right.push(rowsB[y]);
    }
    flush();
    this.changes = [script.filter(([kind]) => kind === "-").length, script.filter(([kind]) => kind === "+").length];
    const folds = isWhole ? NONE : equalRanges(left.map((r, i) => r.kind === "" && right[i].kind === "")), opened = new Set();
    this.documents = {a: new Document(one.language, left, folds, opened, "equal lines"), b: new Document(other.language, right, folds, opened, "equal lines")};
  },

  document(side) {
    return this.documents[side];
  },

  choose(at) {
    this.at = at;
    this.make();
    for (const pane of panes) if (pane.what.startsWith("compare:")) pane.load();
    // The first change, below the equal lines at the top.
    const first = this.documents.a.rows.findIndex((row, i) => row.kind || this.documents.b.rows[i].kind === "add");
    for (const pane of panes) if (pane.what.startsWith("compare:") && first > 0 && !pane.isVisible(first)) pane.scrollTo(first, true);
    showComparison();
    showTable();
    const row = document.querySelector("#table tr.chosen");
    if (row) row.scrollIntoView({block: "center"});
    saveAddress();
  },

  /// Goes to the next row that is not equal.
  step(direction) {
    for (let i = this.at + direction; i >= 0 && i < this.rows.length; i += direction)
      if (this.rows[i].verdict !== "equal") return this.choose(i);
  },
};

/// Shows the comparison of two variants. `at`: a row; the first difference without it.
function compare(a, b, at, wanted) {
  if (variants.length < 2) {
    comparison.isBarOpen = !comparison.isBarOpen; // to open another page
    return showComparison();
  }
  comparison.start(a, b, at);
  state.tab = "comparison";
  state.isDrawerOpen = true;
  setPanes(wanted || (isStacked() ? [["compare:a", 50], ["compare:b", 50]] : [["source", 24], ["compare:a", 38], ["compare:b", 38]]));
  comparison.choose(comparison.at);
  showVariants();
}

function endComparison() {
  comparison.isOn = comparison.isBarOpen = false;
  if (state.tab === "comparison") state.tab = "passes", state.isDrawerOpen = false;
  setPanes(usualPanes());
  showComparison();
  showVariants();
  showTable();
  saveAddress();
}

/// Compares the current variant with another one: the same target of the compared page if there is one.
function toggleComparison() {
  if (comparison.isOn) return endComparison();
  const own = currentVariant();
  const twin = variants.findIndex((v) => own && v.origin !== own.origin && v.target === own.target && v.variant === own.variant);
  compare(state.variant, twin >= 0 ? twin : (state.variant + 1) % variants.length);
}

/// The bar above the panes.
function showComparison() {
  const bar = $("comparison");
  bar.hidden = !comparison.isOn && !comparison.isBarOpen;
  if (bar.hidden) return;
  const choice = (side) => {
    const list = element("select", {"aria-label": "variant " + side.toUpperCase(), "data-side": side, onchange: (event) => compare(...(side === "a" ? [Number(event.target.value), comparison.b] : [comparison.a, Number(event.target.value)]))});
    variants.forEach((variant, i) => list.append(element("option", i === comparison[side] ? {value: i, selected: ""} : {value: i}, variant.name)));
    return list;
  };
  const other = element("input", {type: "file", accept: ".html", hidden: "", onchange: (event) => event.target.files[0] && addPage(event.target.files[0])});
  const parts = [];
  if (comparison.isOn) {
    const first = comparison.firstDifference(), row = comparison.rows[comparison.at];
    parts.push(element("span", {class: "side a"}, "A"), choice("a"), element("span", {class: "side b"}, "B"), choice("b"));
    parts.push(element("span", {id: "verdict", role: "status"}, first < 0 ? "no step differs" :
      (row.isStage ? "stage " : "pass ") + row.name + ": " + verdictWords(row) + (comparison.at === first ? " \u2014 the first difference" : "")));
    if (first >= 0) parts.push(element("button", {title: "Previous difference ([)", onclick: () => comparison.step(-1)}, "\u2190"), element("button", {title: "Next difference (])", onclick: () => comparison.step(1)}, "\u2192"));
    if (first >= 0 && comparison.at !== first) parts.push(element("button", {onclick: () => comparison.choose(first)}, "first difference"));
  } else {
    parts.push(element("span", {class: "faint"}, "This page has one variant."));
  }
  parts.push(element("button", {title: "Compare with the variants of another page of the explorer", onclick: () => other.click()}, "open another page\u2026"), other);
  parts.push(element("button", {id: "endComparison", title: "End the comparison (c)", onclick: () => toggleComparison()}, "\u00d7"));
  bar.replaceChildren(...parts);
}

function verdictWords(row) {
  if (row.verdict === "only A" || row.verdict === "only B") return "only " + row.verdict.at(-1) + " has it";
  if (row.verdict !== "different") return row.verdict;
  const [removed, added] = comparison.rows[comparison.at] === row ? comparison.changes : [0, 0];
  return removed + added ? plural(removed, "line") + " of A and " + added + " of B differ" : "different";
}

/// Reads another page of the explorer, which the user chose, and compares with it.
async function addPage(file) {
  const found = /<script id="data" type="application\/json">([^<]*)<\/script>/.exec(await file.text());
  let program;
  try {
    program = JSON.parse(found[1]);
    addProgram(program, file.name.replace(/\.html$/, ""));
  } catch {
    $("comparison").append(element("span", {class: "faint"}, file.name + " is no page of the explorer."));
    return;
  }
  numberLines();
  const own = state.variant, other = variants.findIndex((v) => v.origin && v.origin === variants.at(-1).origin && v.target === variants[own].target);
  compare(own, other >= 0 ? other : variants.length - 1);
}

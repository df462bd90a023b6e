"use strict";
// The explorer's page. README.md describes the data. All text of the program is set as textContent, never as HTML.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const LINE = 18; // --line of page.css
  const OVERSCAN = 8; // rows above and below the visible ones
  const AT_ONCE = 10; // rows that are coloured in one step: with more new rows in a frame, when the scrolling pauses
  const PAUSE = 60; // ms without scrolling
  const LONGEST = 1500; // characters of a line that are shown
  const MAX_EDITS = 2000; // of a difference; a larger one is shown as a whole
  const CONTEXT = 3; // equal lines around a change
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

  // ---- the source: all files, one after the other; a global line is an index into them ---------------------------

  const files = data.files.map((file) => ({name: file.name, lines: file.text.replace(/\n$/, "").split("\n"), hasText: true}));
  const baseName = (path) => path.slice(path.lastIndexOf("/") + 1);

  function fileOf(name) {
    let found = files.findIndex((file) => file.name === name);
    if (found < 0) {
      const similar = files.filter((file) => file.hasText && baseName(file.name) === baseName(name));
      if (similar.length === 1) found = files.indexOf(similar[0]);
    }
    if (found < 0) found = files.push({name, lines: [], hasText: false}) - 1;
    return found;
  }

  for (const variant of data.variants) {
    variant.fileIndices = variant.files.map(fileOf);
    for (const link of variant.links)
      for (let i = 0; i < link.length; i += 2) {
        const file = files[variant.fileIndices[link[i]]];
        if (!file.hasText) while (file.lines.length < Math.min(link[i + 1], MAX_LINES)) file.lines.push("");
      }
  }
  let sourceCount = 0;
  for (const file of files) {
    file.base = sourceCount; // global line = base + line, from 1
    sourceCount += file.lines.length;
  }
  for (const variant of data.variants) {
    variant.name = variant.target + " " + variant.variant;
    variant.global = variant.links.map((link) => {
      const lines = [];
      for (let i = 0; i < link.length; i += 2) {
        const file = files[variant.fileIndices[link[i]]];
        if (link[i + 1] <= file.lines.length) lines.push(file.base + link[i + 1]);
      }
      return lines;
    });
  }
  const fileWith = (global) => files.find((file) => global > file.base && global <= file.base + file.lines.length);
  const lineIn = (global) => global - fileWith(global).base;
  const placeOf = (global) => baseName(fileWith(global).name) + ":" + lineIn(global);

  // ---- documents: the rows of a pane -------------------------------------------------------------------------------
  // A row is {text, links, number, kind}; links are global source lines.

  class Document {
    constructor(language, rows) {
      this.language = language;
      this.rows = rows;
      let longest = 0;
      for (const row of rows) longest = Math.max(longest, row.text.length);
      this.width = Math.min(longest, LONGEST);
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

  const NONE = [];
  function textDocument(variant, text, language) {
    const {lines, links} = variant.texts[text];
    return new Document(language, lines.map((line, i) => ({text: variant.lines[line], links: variant.global[links[i]], number: i + 1, kind: ""})));
  }

  function sourceDocument(variant, withRemarks) {
    const remarks = new Map();
    if (variant && withRemarks)
      for (const remark of variant.remarks) {
        const line = variant.global[remark.link][0];
        if (!line) continue;
        if (!remarks.has(line)) remarks.set(line, []);
        remarks.get(line).push(remark);
      }
    const rows = [];
    for (const file of files) {
      if (files.length > 1 || !file.hasText)
        rows.push({text: file.name + (file.hasText ? "" : " (the page does not have its text)"), links: NONE, number: "", kind: "file"});
      file.lines.forEach((text, i) => {
        const global = file.base + i + 1;
        rows.push({text, links: [global], number: i + 1, kind: "source"});
        for (const remark of remarks.get(global) || NONE)
          rows.push({text: remark.author + ": " + remark.text.replace(/\s+/g, " ") + (remark.count > 1 ? " (" + remark.count + " times)" : ""), links: [global], number: "", kind: "remark"});
      });
    }
    return new Document("c", rows);
  }

  // ---- differences: Myers' algorithm on lines, without the numbers of values and blocks ----------------------------

  const normal = new Map();
  function normalised(text) {
    const key = text.replace(/%\d+(#\d+)?|\^bb\d+|![0-9]+|#\d+|^\d+:/g, (m) => m[0]).replace(/; preds = .*/, "");
    let id = normal.get(key);
    if (id === undefined) normal.set(key, (id = normal.size));
    return id;
  }

  /// Returns [kind, index in a, index in b] for each line: " ", "-" or "+".
  function difference(a, b) {
    let begin = 0, endA = a.length, endB = b.length;
    while (begin < endA && begin < endB && a[begin] === b[begin]) begin++;
    while (endA > begin && endB > begin && a[endA - 1] === b[endB - 1]) endA--, endB--;
    const script = [];
    for (let i = 0; i < begin; i++) script.push([" ", i, i]);
    const n = endA - begin, m = endB - begin, most = Math.min(n + m, MAX_EDITS);
    const trace = [];
    let reached = new Int32Array(2 * most + 3), found = n + m === 0 ? 0 : -1;
    for (let d = 0; d <= most && found < 0; d++) {
      trace.push(reached.slice(most + 1 - d - 1, most + 1 + d + 2)); // diagonals -d-1 .. d+1
      for (let k = -d; k <= d; k += 2) {
        const at = most + 1 + k;
        let x = k === -d || (k !== d && reached[at - 1] < reached[at + 1]) ? reached[at + 1] : reached[at - 1] + 1;
        let y = x - k;
        while (x < n && y < m && a[begin + x] === b[begin + y]) x++, y++;
        reached[at] = x;
        if (x >= n && y >= m) { found = d; break; }
      }
    }
    const middle = [];
    if (found < 0) { // too many edits
      for (let i = 0; i < n; i++) middle.push(["-", begin + i, begin]);
      for (let i = 0; i < m; i++) middle.push(["+", begin + n, begin + i]);
    } else {
      let x = n, y = m;
      for (let d = found; d > 0; d--) {
        const row = trace[d], k = x - y, get = (diagonal) => row[diagonal + d + 1];
        const down = k === -d || (k !== d && get(k - 1) < get(k + 1));
        const before = down ? k + 1 : k - 1, startX = get(before), startY = startX - before;
        while (x > startX + (down ? 0 : 1) && y > startY + (down ? 1 : 0)) middle.push([" ", begin + --x, begin + --y]);
        if (down) middle.push(["+", begin + x, begin + --y]);
        else middle.push(["-", begin + --x, begin + y]);
      }
      while (x > 0 && y > 0) middle.push([" ", begin + --x, begin + --y]);
      middle.reverse();
    }
    for (const step of middle) script.push(step); // too many for the arguments of one call
    for (let i = 0; endA + i < a.length; i++) script.push([" ", endA + i, endB + i]);
    return {script, isWhole: found < 0};
  }

  function diffDocument(variant, before, after, language) {
    const keys = (text) => text.lines.map((line) => normalised(variant.lines[line]));
    const a = variant.texts[before], b = variant.texts[after];
    const {script, isWhole} = difference(keys(a), keys(b));
    const shown = new Uint8Array(script.length);
    script.forEach(([kind], i) => {
      if (kind !== " ") shown.fill(1, Math.max(0, i - CONTEXT), i + CONTEXT + 1);
    });
    const rows = [];
    if (isWhole)
      rows.push({text: "more than " + MAX_EDITS + " lines differ: all lines are shown as removed and added", links: NONE, number: "", kind: "file"});
    for (let i = 0; i < script.length; i++) {
      if (!shown[i]) {
        let end = i;
        while (end < script.length && !shown[end]) end++;
        rows.push({text: "  " + (end - i) + " equal lines", links: NONE, number: "", kind: "file"});
        i = end - 1;
        continue;
      }
      const [kind, x, y] = script[i];
      const from = kind === "-" ? a : b, at = kind === "-" ? x : y;
      rows.push({text: kind + " " + variant.lines[from.lines[at]], links: variant.global[from.links[at]], number: at + 1,
                 kind: kind === "+" ? "add" : kind === "-" ? "remove" : ""});
    }
    return new Document(language, rows);
  }

  // ---- colours of words --------------------------------------------------------------------------------------------

  const WORDS = {
    c: /^(?:__kernel|kernel|__global|global|__local|local|__constant|constant|__private|private|const|restrict|volatile|void|if|else|for|while|do|return|switch|case|default|break|continue|struct|union|enum|typedef|static|inline|unsigned|signed|bool|(?:u?(?:char|short|int|long)|half|float|double)(?:2|3|4|8|16)?|size_t|image\w*_t|sampler_t)$/,
    spirv: /^Op\w+$/,
    mlir: /^(?:[a-z_]+\.[\w.]+|module|attributes|true|false|to|step|iter_args|else|do)$/,
    llvm: /^(?:define|declare|call|ret|br|switch|load|store|getelementptr|add|sub|mul|[us]div|[us]rem|f(?:add|sub|mul|div|neg|cmp|rem)|icmp|select|phi|and|or|xor|shl|[la]shr|[sz]ext|trunc|bitcast|extractelement|insertelement|shufflevector|alloca|fpext|fptrunc|[su]itofp|fpto[su]i|inttoptr|ptrtoint|to|label|tail|nuw|nsw|inbounds|align)$/,
  };
  const COMMENT = {c: "//", mlir: "//", spirv: ";", llvm: ";", ptx: "//", asm: "#"};
  const TOKEN = /"(?:[^"\\]|\\.)*"|[%@$^][\w.$#]*|\b\d[\w.]*|[A-Za-z_.][\w.]*/g;

  /// Fills `out` with the words of a line in their colours.
  function colour(out, code, language) {
    out.textContent = "";
    let comment = code.indexOf(COMMENT[language] || "//");
    if (comment < 0 && language === "asm") comment = code.search(/; |\/\/ /); // AMD's and others
    const end = comment < 0 ? code.length : comment;
    let at = 0;
    const isOpcode = language === "asm" || language === "ptx";
    TOKEN.lastIndex = 0;
    for (let found; at < end && (found = TOKEN.exec(code)) && found.index < end; ) {
      const word = found[0], first = word[0];
      let kind = "";
      if (first === '"') kind = "c";
      else if ("%@$^".includes(first)) kind = "v";
      else if (first >= "0" && first <= "9") kind = "n";
      else if (isOpcode ? code.slice(0, found.index).trim() === "" : WORDS[language] && WORDS[language].test(word)) kind = "w";
      if (!kind) continue;
      if (found.index > at) out.append(code.slice(at, found.index));
      const span = document.createElement("span");
      span.className = kind;
      span.textContent = code.slice(found.index, Math.min(end, found.index + word.length));
      out.append(span);
      at = found.index + span.textContent.length;
    }
    if (end > at) out.append(code.slice(at, end));
    if (comment >= 0) {
      const span = document.createElement("span");
      span.className = "c";
      span.textContent = code.slice(end);
      out.append(span);
    }
  }

  // ---- state -------------------------------------------------------------------------------------------------------

  const state = {variant: 0, selected: 0, pass: -1, isDiff: true, hasRemarks: true, tab: "passes", onlyChanged: true};
  const panes = [];
  let focused = null;
  const currentVariant = () => data.variants[state.variant];
  // PTX is the assembly of NVIDIA's GPUs: a pane keeps showing the last stage when the variant changes.
  const roleOf = (stage) => (stage.name === "PTX" ? "assembly" : stage.name);

  // ---- panes: only the visible rows are in the document ------------------------------------------------------------

  class Pane {
    constructor(what) {
      this.what = what; // "source", "pass", "stage:<role>" of the current variant, or "fixed:<variant>:<stage>"
      this.cursor = -1;
      this.live = new Map(); // row index -> element
      this.select = element("select", {"aria-label": "what the pane shows", onchange: () => { this.what = this.select.value; this.load(); this.body.focus(); }});
      this.count = element("span", {class: "count"});
      this.rows = element("div", {class: "rows"});
      this.body = element("div", {class: "body", tabindex: "0", role: "listbox"}, this.rows);
      this.map = element("canvas", {class: "map", width: "9", onclick: (event) => this.jump(event)});
      this.root = element("div", {class: "pane"},
        element("div", {class: "head"}, this.select, this.count, element("button", {title: "Close (x)", onclick: () => close(this)}, "\u00d7")),
        element("div", {class: "middle"}, this.body, this.map));
      this.body.addEventListener("scroll", () => this.draw(), {passive: true});
      this.body.addEventListener("focus", () => { focused = this; });
      this.rows.addEventListener("mouseover", (event) => {
        const row = event.target.closest(".row");
        if (!row || row.title) return;
        const {text, links, kind} = this.document.rows[row.dataset.row];
        row.title = kind === "remark" ? text : links.map(placeOf).join(", called from ");
      });
      this.rows.addEventListener("click", (event) => {
        const row = event.target.closest(".row");
        if (row) this.moveTo(Number(row.dataset.row));
      });
      new ResizeObserver(() => { this.draw(); this.drawMap(); }).observe(this.body);
    }

    /// Shows what `what` names.
    load(keepScroll) {
      this.document = this.make();
      this.fillSelect();
      this.root.dataset.what = this.what;
      this.rows.style.height = this.document.rows.length * LINE + "px";
      this.rows.style.width = "max(100%, " + (this.document.width + 13) + "ch)";
      this.count.textContent = this.document.rows.length + " lines";
      this.cursor = -1;
      if (!keepScroll) this.body.scrollTop = 0;
      this.clear();
      this.draw();
      this.reveal();
      this.drawMap();
    }

    make() {
      const note = (text) => new Document("text", [{text, links: NONE, number: "", kind: "file"}]);
      const variant = currentVariant();
      if (this.what === "source") return sourceDocument(variant, state.hasRemarks);
      if (!variant) return note("The page has no variants.");
      if (this.what === "pass") {
        const pass = variant.passes[state.pass];
        if (!pass) return note("Choose a pass in the table, or with [ and ].");
        if (!pass.changed) return note(pass.name + " changed nothing.");
        if (pass.text === null) return note("The page has no text of this pass: the limit of a variant's text is exceeded.");
        const language = pass.language, before = textBefore(variant, state.pass);
        return state.isDiff && before !== null ? diffDocument(variant, before, pass.text, language) : textDocument(variant, pass.text, language);
      }
      let from = variant, stage;
      if (this.what.startsWith("fixed:")) {
        const [, number, index] = this.what.split(":");
        from = data.variants[number];
        stage = from.stages[index];
      } else {
        stage = variant.stages.find((s) => roleOf(s) === this.what.slice(6));
      }
      if (!stage) return note("This variant has no stage " + this.what.slice(6) + ".");
      if (stage.text === null) return note("The page has no text of this stage: the limit of a variant's text is exceeded.");
      return textDocument(from, stage.text, stage.language);
    }

    fillSelect() {
      const add = (to, value, text) => to.append(element("option", value === this.what ? {value, selected: ""} : {value}, text));
      this.select.replaceChildren();
      add(this.select, "source", "source");
      const roles = new Set(data.variants.flatMap((variant) => variant.stages.map(roleOf)));
      for (const role of roles) {
        const own = currentVariant() && currentVariant().stages.find((s) => roleOf(s) === role);
        add(this.select, "stage:" + role, own ? own.name : role);
      }
      const pass = currentVariant() && currentVariant().passes[state.pass];
      add(this.select, "pass", pass ? "pass: " + pass.name : "pass");
      data.variants.forEach((variant, number) => {
        const group = element("optgroup", {label: variant.name});
        variant.stages.forEach((stage, index) => add(group, "fixed:" + number + ":" + index, stage.name + " \u2014 " + variant.name));
        this.select.append(group);
      });
    }

    clear() {
      this.live.clear();
      this.rows.replaceChildren();
    }

    /// Adds the rows that became visible and removes the others.
    draw() {
      const count = this.document.rows.length;
      const first = Math.max(0, Math.floor(this.body.scrollTop / LINE) - OVERSCAN);
      const last = Math.min(count, Math.ceil((this.body.scrollTop + this.body.clientHeight) / LINE) + OVERSCAN);
      for (const [index, row] of this.live)
        if (index < first || index >= last) {
          row.remove();
          this.live.delete(index);
        }
      const added = [];
      for (let index = first; index < last; index++)
        if (!this.live.has(index)) {
          const row = this.makeRow(index);
          this.live.set(index, row);
          added.push(row);
        }
      this.rows.append(...added);
      if (added.length <= AT_ONCE) for (const row of added) this.colourRow(row);
      clearTimeout(this.pause);
      this.pause = setTimeout(() => this.colourSome(), PAUSE);
    }

    /// Colours a few rows that are plain, and continues in the next step.
    colourSome() {
      let left = AT_ONCE;
      for (const row of this.live.values()) if (!row.isColoured && left-- > 0) this.colourRow(row);
      if (left < 0) this.pause = setTimeout(() => this.colourSome(), 0);
    }

    colourRow(row) {
      const {kind} = this.document.rows[row.dataset.row];
      row.isColoured = true;
      if (kind !== "file" && kind !== "remark") colour(row.lastChild, row.lastChild.textContent, this.document.language);
    }

    makeRow(index) {
      const {text, links, number, kind} = this.document.rows[index];
      const row = document.createElement("div");
      row.dataset.row = index;
      row.style.top = index * LINE + "px";
      const mark = document.createElement("span");
      mark.className = "number";
      mark.textContent = String(number).padStart(5) + " ";
      row.append(mark);
      if (kind !== "source" && kind !== "file" && kind !== "remark") {
        const from = document.createElement("span");
        from.className = "from";
        from.textContent = (links.length ? String(lineIn(links[0])) : "").padStart(5) + " ";
        row.append(from);
      }
      const code = document.createElement("span");
      code.className = "code";
      code.textContent = text.length > LONGEST ? text.slice(0, LONGEST) + "\u2026" : text;
      row.append(code);
      this.mark(row, index);
      return row;
    }

    mark(row, index) {
      const {links, kind} = this.document.rows[index];
      row.className = "row" + (kind ? " " + kind : "") + (links.length ? " linked" : "") +
        (state.selected && links.includes(state.selected) ? " hit" : "") + (index === this.cursor ? " cursor" : "");
    }

    markAll() {
      for (const [index, row] of this.live) this.mark(row, index);
      this.drawMap();
    }

    /// Moves the cursor to a row and selects its source line.
    moveTo(index) {
      if (!this.document.rows.length) return;
      this.cursor = Math.max(0, Math.min(index, this.document.rows.length - 1));
      this.scrollTo(this.cursor, false);
      focused = this;
      const [line] = this.document.rows[this.cursor].links;
      if (line) select(line, this);
      else this.markAll();
    }

    isVisible(index) {
      const top = index * LINE;
      return top >= this.body.scrollTop && top + LINE <= this.body.scrollTop + this.body.clientHeight;
    }

    scrollTo(index, center) {
      if (this.isVisible(index)) return;
      const height = this.body.clientHeight, top = index * LINE;
      if (center) this.body.scrollTop = top - height / 3;
      else this.body.scrollTop = top < this.body.scrollTop ? top - 2 * LINE : top - height + 3 * LINE;
    }

    /// Scrolls to the first row of the selection if none is visible.
    reveal() {
      if (!state.selected) return;
      const hits = this.document.rowsOf(state.selected);
      if (hits.length && !hits.some((index) => this.isVisible(index))) this.scrollTo(hits[0], true);
    }

    step(direction) {
      const hits = this.document.rowsOf(state.selected);
      if (!hits.length) return;
      const next = direction > 0 ? hits.find((i) => i > this.cursor) : hits.findLast((i) => i < this.cursor);
      this.cursor = next === undefined ? (direction > 0 ? hits[0] : hits[hits.length - 1]) : next;
      this.scrollTo(this.cursor, true);
      this.markAll();
    }

    /// Marks the selection's rows at the pane's right edge.
    drawMap() {
      const height = this.body.clientHeight, count = this.document.rows.length;
      if (this.map.height !== height) this.map.height = height;
      const draw = this.map.getContext("2d");
      draw.clearRect(0, 0, 9, height);
      if (!state.selected || !count) return;
      draw.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--mark-edge");
      const scale = Math.min(LINE, height / count);
      for (const index of this.document.rowsOf(state.selected)) draw.fillRect(1, index * scale, 7, Math.max(2, scale - 1));
    }

    jump(event) {
      const scale = Math.min(LINE, this.body.clientHeight / this.document.rows.length);
      this.body.scrollTop = (event.offsetY / scale) * LINE - this.body.clientHeight / 2;
    }
  }

  function select(line, from) {
    state.selected = line;
    for (const pane of panes) {
      if (pane !== from) pane.reveal();
      pane.markAll();
    }
    $("where").textContent = line ? placeOf(line) : "";
    if (state.tab === "remarks") showTable();
  }

  function open(what) {
    const pane = new Pane(what);
    panes.push(pane);
    $("panes").append(pane.root);
    pane.load();
    return pane;
  }

  function close(pane) {
    if (panes.length === 1) return;
    panes.splice(panes.indexOf(pane), 1);
    pane.root.remove();
    if (focused === pane) panes[0].body.focus();
  }

  // ---- passes ------------------------------------------------------------------------------------------------------

  for (const variant of data.variants)
    for (const pass of variant.passes) {
      const next = variant.stages[Math.min(pass.stage, variant.stages.length - 1)];
      pass.language = next && (next.language === "asm" || next.language === "ptx") ? "llvm" : next ? next.language : "mlir";
    }

  /// The text before a pass: that of the last pass before it that changed something, or of the stage before.
  function textBefore(variant, number) {
    const pass = variant.passes[number];
    for (let i = number - 1; i >= 0 && variant.passes[i].stage === pass.stage; i--)
      if (variant.passes[i].changed) return variant.passes[i].text;
    const stage = variant.stages[pass.stage - 1];
    return stage ? stage.text : null;
  }

  function choosePass(number) {
    state.pass = number;
    let pane = panes.find((p) => p.what === "pass");
    if (!pane) {
      const stage = currentVariant().stages[currentVariant().passes[number].stage];
      pane = panes.find((p) => stage && p.what === "stage:" + roleOf(stage)) || panes[panes.length - 1];
      if (pane.what === "source") pane = open("pass");
      pane.what = "pass";
    }
    pane.load(true);
    showTable();
    const chosen = document.querySelector("tr.chosen");
    if (chosen) chosen.scrollIntoView({block: "nearest"});
    pane.root.scrollIntoView({block: "nearest", inline: "nearest"});
  }

  function stepPass(direction) {
    const passes = currentVariant() ? currentVariant().passes : NONE;
    for (let i = state.pass + direction; i >= 0 && i < passes.length; i += direction)
      if (passes[i].changed) return choosePass(i);
  }

  // ---- tables ------------------------------------------------------------------------------------------------------

  const milliseconds = (ns) => (ns / 1e6).toFixed(ns < 1e5 ? 3 : 2);

  function table(heads, rows) {
    const body = element("tbody");
    for (const row of rows) body.append(row); // too many for the arguments of one call
    return element("table", {}, element("thead", {}, element("tr", {}, ...heads.map(([text, right]) => element("th", right ? {class: "right"} : {}, text)))), body);
  }

  // What a variant has too many of to be shown.
  function leftOut(variant, what) {
    return variant.leftOut[what] ? [element("p", {class: "note"}, variant.leftOut[what] + " more " + what + " are left out: the variant has too many.")] : [];
  }

  const TABS = {
    passes(variant) {
      const longest = variant.passes.reduce((most, pass) => Math.max(most, pass.ns), 1);
      const whole = variant.passes.reduce((sum, pass) => sum + pass.ns, 0);
      const filter = element("label", {class: "note"}, element("input", {type: "checkbox", onchange: (event) => { state.onlyChanged = event.target.checked; showTable(); }}), " only passes that changed something (" +
        variant.passes.filter((pass) => pass.changed).length + " of " + variant.passes.length + "; all together " + milliseconds(whole) + " ms)");
      filter.firstChild.checked = state.onlyChanged;
      const rows = [];
      variant.passes.forEach((pass, i) => {
        if (state.onlyChanged && !pass.changed) return;
        const next = variant.stages[pass.stage];
        rows.push(element("tr", {class: "link" + (i === state.pass ? " chosen" : "") + (pass.changed ? "" : " same"), onclick: () => choosePass(i)},
          element("td", {class: "right"}, String(i + 1)), element("td", {}, pass.name), element("td", {}, pass.on),
          element("td", {}, next ? next.name : ""), element("td", {class: "right"}, milliseconds(pass.ns)),
          element("td", {}, element("span", {class: "time", style: "width:" + (120 * pass.ns) / longest + "px"}))));
      });
      return [filter, ...leftOut(variant, "passes"), table([["#", true], ["pass"], ["ran on"], ["towards stage"], ["ms", true], [""]], rows)];
    },
    remarks(variant) {
      const rows = variant.remarks.map((remark) => {
        const lines = variant.global[remark.link], line = lines[0];
        return element("tr", {class: (line ? "link" : "") + (line && line === state.selected ? " chosen" : ""), onclick: () => line && select(line, null)},
          element("td", {}, line ? placeOf(line) : ""), element("td", {}, remark.author), element("td", {}, remark.kind), element("td", {class: "right"}, String(remark.count)), element("td", {}, remark.text));
      });
      return [...leftOut(variant, "remarks"), rows.length ? table([["line"], ["pass"], ["kind"], ["times", true], ["remark"]], rows) : element("p", {class: "note"}, "No remarks.")];
    },
    kernels() {
      const parts = [];
      if (data.machineCode.length) {
        const names = [...new Set(data.machineCode.flatMap((code) => code.numbers.map(([name]) => name)))];
        parts.push(element("p", {class: "note"}, "Machine code, as the driver reports it"));
        parts.push(table([["kernel"], ["device"], ["variant"], ...names.map((name) => [name, true])], data.machineCode.map((code) =>
          element("tr", {}, ...[code.kernel, code.device, code.variant].map((text) => element("td", {}, text)),
            ...names.map((name) => element("td", {class: "right"}, String((code.numbers.find(([other]) => other === name) || ["", ""])[1])))))));
      }
      for (const variant of data.variants) {
        const names = [...new Set(variant.facts.map(([, name]) => name))];
        const functions = [...new Set(variant.facts.map(([f]) => f))];
        const values = new Map(variant.facts.map(([f, name, value]) => [f + "\0" + name, value]));
        parts.push(element("p", {class: "note"}, variant.name), ...leftOut(variant, "facts"));
        parts.push(table([["function"], ...names.map((name) => [name, name !== "kernel"])], functions.map((f) =>
          element("tr", {}, element("td", {}, f), ...names.map((name) => element("td", name === "kernel" ? {} : {class: "right"}, values.get(f + "\0" + name) || ""))))));
      }
      return parts;
    },
    launches() {
      if (!data.launches.length) return [element("p", {class: "note"}, "No launches were seen. KILN_EXPLORE=folder ./application records them.")];
      const micro = (ns) => (ns / 1e3).toFixed(1);
      return [table([["kernel"], ["device"], ["variant"], ["global size"], ["local size"], ["launches", true], ["least \u00b5s", true], ["mean \u00b5s", true], ["most \u00b5s", true], ["sum ms", true]],
        data.launches.map((l) => element("tr", {}, ...[l.kernel, l.device, l.variant, l.global.join(" \u00d7 "), l.local.join(" \u00d7 ")].map((text) => element("td", {}, text)),
          ...[String(l.count), micro(l.least), micro(l.sum / l.count), micro(l.most), milliseconds(l.sum)].map((text) => element("td", {class: "right"}, text)))))];
    },
    log(variant) {
      return [element("p", {class: "note"}, variant.log || "The log is empty.")];
    },
  };
  const TITLES = {passes: "Passes", remarks: "Remarks", kernels: "Registers and spills", launches: "Launches", log: "Log"};

  function showTable() {
    const variant = currentVariant();
    $("tabs").replaceChildren(...Object.keys(TABS).map((tab) =>
      element("button", {"aria-pressed": String(tab === state.tab), "data-tab": tab, onclick: () => { state.tab = tab; showTable(); }}, TITLES[tab])));
    const top = $("table").scrollTop;
    $("table").replaceChildren(...(variant ? TABS[state.tab](variant) : []));
    $("table").scrollTop = top;
  }

  // ---- variants, theme, search ----------------------------------------------------------------------------------------

  function showVariants() {
    $("variants").replaceChildren(...data.variants.map((variant, i) =>
      element("button", {"aria-pressed": String(i === state.variant), onclick: () => chooseVariant(i)}, variant.name)));
  }

  function chooseVariant(number) {
    state.variant = number;
    state.pass = -1;
    showVariants();
    for (const pane of panes) pane.load(true);
    showTable();
  }

  function setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    for (const pane of panes) pane.drawMap();
  }
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  prefersDark.addEventListener("change", (event) => setTheme(event.matches ? "dark" : "light"));
  const toggleTheme = () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");

  function find(direction) {
    const text = $("query").value.toLowerCase(), pane = focused || panes[0], count = pane.document.rows.length;
    if (!text || !count) return;
    let at = pane.cursor < 0 ? (direction > 0 ? -1 : 0) : pane.cursor;
    for (let seen = 0; seen < count; seen++) {
      at = (at + direction + count) % count;
      if (pane.document.rows[at].text.toLowerCase().includes(text)) {
        $("found").textContent = "line " + (at + 1);
        return pane.moveTo(at);
      }
    }
    $("found").textContent = "not found";
  }

  function openSearch() {
    $("search").hidden = false;
    $("query").focus();
    $("query").select();
  }
  $("query").addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter") find(event.shiftKey ? -1 : 1);
    if (event.key === "Escape" || event.key === "Enter") {
      $("search").hidden = true;
      (focused || panes[0]).body.focus();
    }
  });

  // ---- keys --------------------------------------------------------------------------------------------------------

  function beside(direction) {
    const at = panes.indexOf(focused || panes[0]) + direction;
    if (panes[at]) {
      panes[at].body.focus();
      panes[at].root.scrollIntoView({block: "nearest", inline: "nearest"});
    }
  }
  function down(count) {
    const pane = focused || panes[0];
    const start = pane.cursor >= 0 ? pane.cursor : Math.floor(pane.body.scrollTop / LINE) - 1;
    let at = start + count;
    while (pane.document.rows[at] && pane.document.rows[at].kind === "remark") at += count; // remarks belong to their line
    pane.moveTo(at);
  }
  const KEYS = {
    j: () => down(1), ArrowDown: () => down(1), k: () => down(-1), ArrowUp: () => down(-1),
    h: () => beside(-1), ArrowLeft: () => beside(-1), l: () => beside(1), ArrowRight: () => beside(1),
    ".": () => (focused || panes[0]).step(1), ",": () => (focused || panes[0]).step(-1),
    "]": () => stepPass(1), "[": () => stepPass(-1),
    d: () => { state.isDiff = !state.isDiff; for (const pane of panes) if (pane.what === "pass") pane.load(); },
    v: () => data.variants.length && chooseVariant((state.variant + 1) % data.variants.length),
    "/": openSearch, n: () => find(1), N: () => find(-1),
    r: () => { state.hasRemarks = !state.hasRemarks; for (const pane of panes) if (pane.what === "source") pane.load(true); },
    a: () => open("stage:assembly").body.focus(), x: () => close(focused || panes[0]),
    t: toggleTheme, "?": () => $("keys").showModal(), Escape: () => select(0, null),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open || event.target.tagName === "SELECT") return;
    const action = KEYS[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  $("theme").addEventListener("click", toggleTheme);
  $("help").addEventListener("click", () => $("keys").showModal());
  $("add").addEventListener("click", () => open("stage:assembly").body.focus());
  $("divider").addEventListener("pointerdown", (event) => {
    $("divider").setPointerCapture(event.pointerId);
    const move = (to) => { $("drawer").style.height = Math.max(40, innerHeight - to.clientY) + "px"; };
    $("divider").addEventListener("pointermove", move);
    $("divider").addEventListener("pointerup", () => $("divider").removeEventListener("pointermove", move), {once: true});
  });

  // ---- start -------------------------------------------------------------------------------------------------------

  setTheme(prefersDark.matches ? "dark" : "light");
  document.title = data.title + " \u2014 Kiln explorer";
  $("title").textContent = data.title;
  showVariants();
  for (const what of ["source", "stage:SPIR-V", "stage:ocl", "stage:wg", "stage:LLVM IR, optimised", "stage:assembly"]) open(what);
  showTable();
  panes[0].body.focus();
})();

// Panes: each shows a document, and has only its visible rows in the page's document.

const LINE = 18; // --line of page.css
const OVERSCAN = 8; // rows above and below the visible ones
const AT_ONCE = 10; // rows that are coloured in one step: with more new rows in a frame, when the scrolling pauses
const PAUSE = 60; // ms without scrolling
const LEAST = 8; // percent of the window's width that a pane keeps

class Pane {
  constructor(what, size) {
    // "source", "best", "stage:<role>" of the current variant, "fixed:<variant>:<stage>", "pass", "compare:a" or "compare:b"
    this.what = what;
    this.size = size; // percent
    this.cursor = -1;
    this.live = new Map(); // row index -> element
    this.opened = new Map(); // what -> keys of the folds that are open
    this.select = element("select", {"aria-label": "what the pane shows", onchange: () => { showIn(this, this.select.value); this.body.focus(); }});
    this.count = element("span", {class: "count"});
    this.rows = element("div", {class: "rows"});
    this.body = element("div", {class: "body", tabindex: "0", role: "listbox"}, this.rows);
    this.map = element("canvas", {class: "map", width: "9", onclick: (event) => this.jump(event)});
    this.hint = element("div", {class: "hint", role: "status"});
    this.root = element("section", {class: "pane"},
      element("div", {class: "head"}, this.select, this.count, element("button", {class: "close", title: "Close this pane (x)", "aria-label": "Close this pane", onclick: () => closePane(this)}, "\u00d7")),
      element("div", {class: "middle"}, this.body, this.map), this.hint);
    this.splitter = element("div", {class: "splitter", role: "separator", tabindex: "0", "aria-label": "width of the pane", title: "Drag, or arrow keys; a double click makes all panes equal"});
    makeSplitter(this.splitter, this);
    this.body.addEventListener("scroll", () => this.scrolled(), {passive: true});
    this.body.addEventListener("focus", () => setFocus(this));
    this.rows.addEventListener("mouseover", (event) => this.hover(event.target.closest(".row")));
    this.rows.addEventListener("mouseleave", () => { setHovered(0); this.showHint(); });
    this.rows.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (!row) return;
      const index = Number(row.dataset.index), shown = this.document.rows[index];
      if (event.target.closest(".badge")) return toggleRemarks(shown.links[0]);
      if (shown.kind === "fold") return this.openFold(shown);
      this.moveTo(index);
    });
    new ResizeObserver(() => { this.draw(); this.drawMap(); }).observe(this.body);
  }

  /// Shows what `what` names.
  load(keepScroll) {
    this.document = this.make();
    this.fillSelect();
    this.root.dataset.what = this.what === "best" ? "stage:" + bestRole(currentVariant()) : this.what;
    this.root.dataset.language = this.document.language;
    this.cursor = -1;
    this.layOut();
    if (!keepScroll) this.body.scrollTop = 0;
    this.draw();
    if (!keepScroll) this.reveal();
    this.drawMap();
    this.showHint();
  }

  /// Makes the rows anew, after some were opened or folded.
  layOut() {
    this.rows.style.height = this.document.rows.length * LINE + "px";
    this.rows.style.width = "max(100%, " + (this.document.width + 14) + "ch)";
    this.count.textContent = plural(this.document.all.filter((row) => row.number !== "").length, "line");
    this.live.clear();
    this.rows.replaceChildren();
  }

  make() {
    const variant = currentVariant();
    if (!this.opened.has(this.what)) this.opened.set(this.what, new Set());
    const opened = this.opened.get(this.what);
    if (this.what === "source") return sourceDocument(variant, opened, Math.max(30, Math.floor((this.body.clientWidth - 70) / 6.4)));
    if (this.what.startsWith("compare:")) return comparison.document(this.what.slice(8));
    if (!variant) return noteDocument("The page has no variants.");
    if (this.what === "pass") {
      const pass = variant.passes[state.pass];
      if (!pass) return noteDocument("Choose a pass in the table, or with [ and ].");
      if (!pass.changed) return noteDocument(pass.name + " changed nothing.");
      if (pass.text === null) return noteDocument("The page has no text of this pass: the limit of a variant's text is exceeded.");
      const before = textBefore(variant, state.pass);
      return state.isDiff && before !== null ? diffDocument(variant, before, pass.text, pass.language) : textDocument(variant, pass.text, pass.language, opened);
    }
    let from = variant, stage;
    const role = this.what === "best" ? bestRole(variant) : this.what.slice(6);
    if (this.what.startsWith("fixed:")) {
      const [, number, index] = this.what.split(":");
      from = variants[number];
      stage = from && from.stages[index];
    } else {
      stage = stageWith(variant, role);
    }
    if (!stage) return noteDocument("This variant has no stage " + role + ".");
    if (stage.text === null) return noteDocument("The page has no text of this stage: the limit of a variant's text is exceeded.");
    this.target = from.target;
    return textDocument(from, stage.text, stage.language, opened);
  }

  fillSelect() {
    const add = (to, value, text) => to.append(element("option", value === this.what ? {value, selected: ""} : {value}, text));
    const variant = currentVariant();
    this.select.replaceChildren();
    if (this.what.startsWith("compare:")) {
      const side = comparison[this.what.slice(8)];
      return add(this.select, this.what, this.what.slice(8).toUpperCase() + ": " + variants[side].name);
    }
    add(this.select, "source", "source");
    add(this.select, "best", bestRole(variant) + ", which explains most");
    const roles = new Set(variants.flatMap((v) => v.stages.map(roleOf)));
    for (const role of roles) {
      const own = variant && stageWith(variant, role);
      add(this.select, "stage:" + role, own ? own.name : role);
    }
    const pass = variant && variant.passes[state.pass];
    add(this.select, "pass", pass ? "pass: " + pass.name : "pass");
    variants.forEach((v, number) => {
      const group = element("optgroup", {label: v.name});
      v.stages.forEach((stage, index) => add(group, "fixed:" + number + ":" + index, stage.name + " \u2014 " + v.name));
      this.select.append(group);
    });
  }

  scrolled() {
    this.draw();
    if (this.what.startsWith("compare:"))
      for (const other of panes) if (other !== this && other.what.startsWith("compare:") && other.body.scrollTop !== this.body.scrollTop) other.body.scrollTop = this.body.scrollTop;
    saveAddress();
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
    const {kind} = this.document.rows[row.dataset.index];
    row.isColoured = true;
    if (kind !== "file" && kind !== "fold" && !kind.startsWith("remark")) colour(row.code, row.code.textContent, this.document.language);
  }

  makeRow(index) {
    const {text, links, number, kind, badge} = this.document.rows[index];
    const row = document.createElement("div");
    row.dataset.index = index;
    row.style.top = index * LINE + "px";
    if (links.length) row.style.setProperty("--hue", hues.get(links[0]) ?? -1);
    const gutter = document.createElement("span");
    gutter.className = "gutter";
    const mark = document.createElement("span");
    mark.className = "number";
    mark.textContent = String(number).padStart(5) + " ";
    gutter.append(mark);
    if (this.document.language !== "c" && this.document.language !== "text") {
      const from = document.createElement("span");
      from.className = "from";
      from.textContent = (links.length ? String(lineIn(links[0])) : "").padStart(4) + " ";
      gutter.append(from);
    }
    row.append(gutter);
    row.code = document.createElement("span");
    row.code.className = "code";
    row.code.textContent = text.length > LONGEST ? text.slice(0, LONGEST) + "\u2026" : text;
    row.append(row.code);
    if (badge) row.append(element("button", {class: "badge " + badge.kind, tabindex: "-1", title: badge.title, "aria-expanded": String(state.openRemarks.has(links[0]))}, badge.text));
    this.mark(row, index);
    return row;
  }

  mark(row, index) {
    const {links, kind} = this.document.rows[index];
    row.className = "row" + (kind ? " " + kind : "") + (links.length && hues.has(links[0]) ? " linked" : "") +
      (state.hovered && links.includes(state.hovered) ? " near" : "") +
      (state.selected && links.includes(state.selected) ? " hit" : "") + (index === this.cursor ? " cursor" : "");
  }

  markAll() {
    for (const [index, row] of this.live) this.mark(row, index);
  }

  hover(row) {
    if (!row) return;
    const shown = this.document.rows[row.dataset.index];
    setHovered(shown.links[0] || 0);
    if (!row.title && shown.links.length) row.title = shown.links.map(placeOf).join(", called from ");
    this.showHint(shown);
  }

  /// Shows the hint at an instruction: of the row under the pointer, or else at the cursor.
  showHint(row = this.document.rows[this.cursor]) {
    const {language} = this.document;
    if (language === "asm" || language === "ptx") this.hint.textContent = (row && hintFor(row, language, this.target || currentVariant().target)) || "Point at an instruction: what it costs";
  }

  /// Moves the cursor to a row and selects its source line.
  moveTo(index) {
    if (!this.document.rows.length) return;
    this.cursor = Math.max(0, Math.min(index, this.document.rows.length - 1));
    this.scrollTo(this.cursor, false);
    setFocus(this);
    const [line] = this.document.rows[this.cursor].links;
    if (line) select(line, this);
    else this.markAll();
    this.showHint();
  }

  openFold(row) {
    this.document.open(row.begin);
    this.layOut();
    this.draw();
    if (this.what.startsWith("compare:"))
      for (const other of panes) if (other !== this && other.what.startsWith("compare:")) { other.document.refold(); other.layOut(); other.draw(); }
    this.drawMap();
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
    this.showHint();
  }

  /// Marks the selection's rows, and the changes of a difference, at the pane's right edge.
  drawMap() {
    const height = this.body.clientHeight, count = this.document.rows.length;
    if (this.map.height !== height) this.map.height = height;
    const draw = this.map.getContext("2d"), style = getComputedStyle(document.documentElement);
    draw.clearRect(0, 0, 9, height);
    if (!count) return;
    const scale = Math.min(LINE, height / count);
    const fill = (index, colour) => { draw.fillStyle = style.getPropertyValue(colour); draw.fillRect(1, index * scale, 7, Math.max(2, scale - 1)); };
    if (this.what === "pass" || this.what.startsWith("compare:"))
      this.document.rows.forEach(({kind}, index) => {
        if (kind === "add" || kind === "remove") fill(index, kind === "add" ? "--add-edge" : "--remove-edge");
      });
    if (state.selected) for (const index of this.document.rowsOf(state.selected)) fill(index, "--mark-edge");
  }

  jump(event) {
    const scale = Math.min(LINE, this.body.clientHeight / this.document.rows.length);
    this.body.scrollTop = (event.offsetY / scale) * LINE - this.body.clientHeight / 2;
  }
}

// ---- all panes -------------------------------------------------------------------------------------------------------

const panes = [];
let focused = null;

function setFocus(pane) {
  focused = pane;
  for (const other of panes) other.root.classList.toggle("focused", other === pane);
}

/// Shows these panes and no others: [what, percent, first row].
function setPanes(wanted) {
  while (panes.length) panes.pop().root.remove();
  $("panes").replaceChildren();
  for (const [what, size] of wanted) addPane(what, size);
  applySizes();
  for (const pane of panes) pane.load();
  panes.forEach((pane, i) => { if (wanted[i][2]) pane.body.scrollTop = wanted[i][2] * LINE; });
  showStages();
}

function addPane(what, size) {
  const pane = new Pane(what, size);
  panes.push(pane);
  $("panes").append(pane.root, pane.splitter);
  return pane;
}

/// Adds a pane, for which the others make room.
function openPane(what) {
  for (const pane of panes) pane.size *= panes.length / (panes.length + 1);
  const pane = addPane(what, 100 / (panes.length + 1));
  applySizes();
  pane.load();
  showStages();
  return pane;
}

function closePane(pane) {
  if (panes.length === 1) return;
  panes.splice(panes.indexOf(pane), 1);
  pane.root.remove();
  pane.splitter.remove();
  applySizes();
  if (focused === pane) panes[0].body.focus();
  showStages();
}

/// Shows something else in a pane.
function showIn(pane, what) {
  pane.what = what;
  pane.load();
  showStages();
}

/// The pane for a stage that is chosen by a key or a button: the focused one, unless it shows the source.
function stagePane() {
  if (focused && focused.what !== "source" && panes.includes(focused)) return focused;
  return panes.find((pane) => pane.what !== "source") || openPane("best");
}

function applySizes() {
  const sum = panes.reduce((all, pane) => all + pane.size, 0);
  for (const pane of panes) {
    pane.size *= 100 / sum;
    pane.root.style.flexGrow = pane.size.toFixed(2);
    pane.splitter.hidden = pane === panes.at(-1);
    pane.splitter.setAttribute("aria-valuenow", pane.size.toFixed(0));
  }
  saveAddress();
}

/// Moves the border after a pane by some percent of the window.
function moveBorder(pane, percent) {
  const next = panes[panes.indexOf(pane) + 1];
  if (!next) return;
  const moved = Math.max(LEAST - pane.size, Math.min(percent, next.size - LEAST));
  pane.size += moved;
  next.size -= moved;
  applySizes();
}

const isStacked = () => matchMedia("(max-width: 800px)").matches; // panes are below one another

function makeSplitter(splitter, pane) {
  splitter.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    splitter.setPointerCapture(event.pointerId);
    const along = (e) => (isStacked() ? e.clientY : e.clientX);
    let last = along(event);
    const move = (to) => {
      const whole = isStacked() ? $("panes").clientHeight : $("panes").clientWidth;
      moveBorder(pane, (100 * (along(to) - last)) / whole);
      last = along(to);
    };
    splitter.addEventListener("pointermove", move);
    splitter.addEventListener("pointerup", () => splitter.removeEventListener("pointermove", move), {once: true});
  });
  splitter.addEventListener("dblclick", () => { for (const p of panes) p.size = 1; applySizes(); });
  splitter.addEventListener("keydown", (event) => {
    const by = {ArrowLeft: -2, ArrowUp: -2, ArrowRight: 2, ArrowDown: 2}[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    moveBorder(pane, by);
  });
}

// ---- selection -------------------------------------------------------------------------------------------------------

function select(line, from) {
  state.selected = line;
  for (const pane of panes) {
    if (pane !== from) pane.reveal();
    pane.markAll();
    pane.drawMap();
  }
  $("where").textContent = line ? placeOf(line) : "";
  if (state.tab === "remarks") showTable();
  saveAddress();
}

function setHovered(line) {
  if (state.hovered === line) return;
  state.hovered = line;
  for (const pane of panes) pane.markAll();
}

function toggleRemarks(line) {
  if (!state.openRemarks.delete(line)) state.openRemarks.add(line);
  reloadSource();
}

/// Opens all remarks, or closes them if some are open.
function toggleAllRemarks() {
  if (state.openRemarks.size) state.openRemarks.clear();
  else for (const line of remarksByLine(currentVariant()).keys()) state.openRemarks.add(line);
  reloadSource();
}

function reloadSource() {
  for (const pane of panes)
    if (pane.what === "source") {
      const cursor = pane.document.rows[pane.cursor], line = cursor && cursor.links[0];
      pane.load(true);
      if (line) pane.cursor = pane.document.rows.findIndex((row) => row.links[0] === line);
      pane.markAll();
    }
  saveAddress();
}

// The page's state, its keys, and its start.

const state = {variant: 0, selected: 0, hovered: 0, pass: -1, isDiff: true, isFolded: true, openRemarks: new Set(),
               tab: "passes", isDrawerOpen: false, drawer: 30, onlyChanged: true, hasOwnTheme: false};
const currentVariant = () => variants[state.variant];

/// The panes of the start: source, the stage that explains most, assembly. A page without source has no pane of it, and
/// a narrow window has two panes.
function usualPanes() {
  const hasText = files.some((file) => file.hasText) || !variants.length;
  const code = isStacked() && hasText ? [["stage:assembly", 60]] : [["best", 36], ["stage:assembly", 34]];
  return hasText ? [["source", isStacked() ? 40 : 30], ...code] : code;
}

// ---- variants, stages, theme, search ----------------------------------------------------------------------------------

const FEW = 4; // variants that have buttons; more are a list

function showVariants() {
  const name = (variant) => (variants.every((v) => v.variant === "generic" && !v.origin) ? variant.target : variant.name);
  if (variants.length <= FEW) {
    $("variants").replaceChildren(...variants.map((variant, i) =>
      element("button", {"aria-pressed": String(i === state.variant), title: variant.name + (variant.pipeline ? ", " + variant.pipeline : "") + " (v: next)", onclick: () => chooseVariant(i)}, name(variant))));
  } else {
    const list = element("select", {"aria-label": "variant", onchange: (event) => chooseVariant(Number(event.target.value))});
    variants.forEach((variant, i) => list.append(element("option", i === state.variant ? {value: i, selected: ""} : {value: i}, variant.name)));
    $("variants").replaceChildren(list);
  }
  $("compare").setAttribute("aria-pressed", String(comparison.isOn));
}

function chooseVariant(number) {
  if (comparison.isOn) return compare(number, number === comparison.b ? comparison.a : comparison.b);
  state.variant = number;
  state.pass = -1;
  showVariants();
  for (const pane of panes) pane.load(true);
  showStages();
  showTable();
  saveAddress();
}

/// The source and the stages of the variant, in order: each is a key away.
function stagesOf(variant) {
  return ["source", ...(variant ? variant.stages.map((stage) => "stage:" + roleOf(stage)) : NONE)];
}

function showStages() {
  const variant = currentVariant(), shown = new Set(panes.map((pane) => pane.root.dataset.what));
  $("stages").hidden = comparison.isOn;
  $("stages").replaceChildren(...stagesOf(variant).map((what, i) =>
    element("button", {"aria-pressed": String(shown.has(what)), "data-stage": what, title: "Show in the pane" + (i < 10 ? " (" + ((i + 1) % 10) + ")" : ""), onclick: () => showStage(i)},
      element("kbd", {}, i < 10 ? String((i + 1) % 10) : ""), " " + (i ? variant.stages[i - 1].name : "source"))));
  saveAddress();
}

/// Shows the n-th of the stages in a pane, unless a pane shows it: that one gets the focus.
function showStage(number) {
  const what = stagesOf(currentVariant())[number];
  if (!what || comparison.isOn) return;
  const there = panes.find((pane) => pane.root.dataset.what === what);
  const pane = there || (number ? stagePane() : focused || panes[0]);
  if (!there) showIn(pane, what);
  pane.body.focus();
}

function setTheme(theme, isOwn) {
  document.documentElement.dataset.theme = theme;
  state.hasOwnTheme = state.hasOwnTheme || Boolean(isOwn);
  for (const pane of panes) pane.drawMap();
}
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
prefersDark.addEventListener("change", (event) => setTheme(event.matches ? "dark" : "light"));
function toggleTheme() {
  setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark", true);
  saveAddress();
}

function find(direction) {
  const text = $("query").value.toLowerCase(), pane = focused || panes[0], {all, rows} = pane.document;
  if (!text || !all.length) return;
  const row = rows[pane.cursor];
  let at = row ? (row.kind === "fold" ? row.begin : all.indexOf(row)) : direction > 0 ? -1 : 0;
  for (let seen = 0; seen < all.length; seen++) {
    at = (at + direction + all.length) % all.length;
    if (!all[at].text.toLowerCase().includes(text)) continue;
    $("found").textContent = "line " + (all[at].number || at + 1);
    const before = pane.document.rows.length, index = pane.document.show(all[at]);
    if (pane.document.rows.length !== before) pane.layOut();
    return pane.moveTo(index);
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
  while (pane.document.rows[at] && pane.document.rows[at].kind.startsWith("remark")) at += count; // remarks belong to their line
  pane.moveTo(at);
}
/// Opens the remarks of the line or the folded lines at the cursor.
function openHere() {
  const pane = focused || panes[0], row = pane.document.rows[pane.cursor];
  if (row && row.kind === "fold") pane.openFold(row);
  else if (row && row.badge) toggleRemarks(row.links[0]);
}
function toggleFolds() {
  state.isFolded = !state.isFolded;
  for (const pane of panes) {
    pane.document.refold();
    pane.layOut();
    pane.draw();
    pane.reveal();
    pane.drawMap();
  }
  saveAddress();
}
const KEYS = {
  j: () => down(1), ArrowDown: () => down(1), k: () => down(-1), ArrowUp: () => down(-1),
  h: () => beside(-1), ArrowLeft: () => beside(-1), l: () => beside(1), ArrowRight: () => beside(1),
  ".": () => (focused || panes[0]).step(1), ",": () => (focused || panes[0]).step(-1),
  "]": () => stepPass(1), "[": () => stepPass(-1),
  d: () => { state.isDiff = !state.isDiff; for (const pane of panes) if (pane.what === "pass") pane.load(); saveAddress(); },
  v: () => variants.length && chooseVariant((state.variant + 1) % variants.length),
  c: toggleComparison,
  "/": openSearch, n: () => find(1), N: () => find(-1),
  o: openHere, Enter: openHere, r: toggleAllRemarks, f: toggleFolds,
  b: () => { state.isDrawerOpen = !state.isDrawerOpen; showTable(); saveAddress(); },
  a: () => openPane("stage:assembly").body.focus(), x: () => closePane(focused || panes[0]),
  "=": () => { for (const pane of panes) pane.size = 1; applySizes(); },
  t: toggleTheme, "?": () => $("keys").showModal(), Escape: () => select(0, null),
};
for (let digit = 0; digit <= 9; digit++) KEYS[digit] = () => showStage((digit + 9) % 10); // 0 is the tenth
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open || event.target.tagName === "SELECT") return;
  if (event.key === "Enter" && event.target.tagName === "BUTTON") return;
  const action = KEYS[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});
$("theme").addEventListener("click", toggleTheme);
$("help").addEventListener("click", () => $("keys").showModal());
$("add").addEventListener("click", () => openPane("stage:assembly").body.focus());
$("compare").addEventListener("click", toggleComparison);
$("divider").addEventListener("pointerdown", (event) => {
  $("divider").setPointerCapture(event.pointerId);
  const move = (to) => {
    state.drawer = Math.max(5, Math.min(80, (100 * (innerHeight - to.clientY)) / innerHeight));
    $("drawer").style.height = state.drawer + "vh";
  };
  $("divider").addEventListener("pointermove", move);
  $("divider").addEventListener("pointerup", () => { $("divider").removeEventListener("pointermove", move); saveAddress(); }, {once: true});
});
addEventListener("hashchange", () => restore(location.hash));

// ---- start -------------------------------------------------------------------------------------------------------

setTheme(prefersDark.matches ? "dark" : "light");
document.title = baseName(data.title) + " \u2014 Kiln explorer";
$("title").textContent = baseName(data.title);
$("title").title = data.title;
restore(location.hash);
panes[0].body.focus();

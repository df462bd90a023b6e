// The state of the page in the part of its address after #, so that a link shows what its sender saw.

let isRestoring = false, saving = 0;

/// A variant's name without what changes from compilation to compilation.
const variantIndex = (name) => variants.findIndex((variant) => variant.name === name);

function addressOf() {
  const parts = [];
  const add = (name, value) => parts.push(name + "=" + encodeURIComponent(value).replace(/%20/g, "+").replace(/%3A/g, ":").replace(/%2C/g, ","));
  if (variants.length) add("variant", currentVariant().name);
  add("panes", panes.map((pane) => [pane.what, Number(pane.size.toFixed(2)), Math.floor(pane.body.scrollTop / LINE)].join("~")).join("|"));
  if (state.selected) add("line", placeOf(state.selected));
  if (state.pass >= 0) add("pass", state.pass + 1);
  if (!state.isDiff) add("whole", 1);
  if (comparison.isOn) add("compare", [variants[comparison.a].name, variants[comparison.b].name, comparison.at].join("|"));
  if (state.openRemarks.size) add("open", [...state.openRemarks].map(placeOf).join("|"));
  if (!state.isFolded) add("unfolded", 1);
  if (state.isDrawerOpen) add("table", state.tab + "~" + Number(state.drawer.toFixed(2)));
  if (state.hasOwnTheme) add("theme", document.documentElement.dataset.theme);
  return "#" + parts.join("&");
}

/// Puts the state into the address, a moment later, because a drag changes it often.
function saveAddress() {
  if (isRestoring) return;
  clearTimeout(saving);
  saving = setTimeout(() => history.replaceState(null, "", addressOf()), 100);
}

/// Shows what an address says. Parts that this page does not have are as at the start.
function restore(address) {
  isRestoring = true;
  const parts = new URLSearchParams(address.slice(1)), number = (text, usual) => (Number.isFinite(Number(text)) && text ? Number(text) : usual);
  state.variant = Math.max(0, variantIndex(parts.get("variant")));
  state.selected = lineAt(parts.get("line") || "");
  state.pass = number(parts.get("pass"), 0) - 1;
  state.isDiff = !parts.get("whole");
  state.isFolded = !parts.get("unfolded");
  state.openRemarks = new Set((parts.get("open") || "").split("|").map(lineAt).filter(Boolean));
  const [tab, height] = (parts.get("table") || "").split("~");
  state.isDrawerOpen = Object.hasOwn(TABS, tab);
  if (state.isDrawerOpen) state.tab = tab, state.drawer = Math.max(5, Math.min(80, number(height, state.drawer)));
  if (["light", "dark"].includes(parts.get("theme"))) setTheme(parts.get("theme"), true);
  const wanted = (parts.get("panes") || "").split("|").map((pane) => pane.split("~")).filter(([what]) => /^(source|best|pass|stage:.+|fixed:\d+:\d+|compare:[ab])$/.test(what))
    .map(([what, size, top]) => [what, Math.max(LEAST, number(size, 30)), number(top, 0)]);
  const [a, b, at] = (parts.get("compare") || "").split("|");
  comparison.isOn = false;
  if (variantIndex(a) >= 0 && variantIndex(b) >= 0) compare(variantIndex(a), variantIndex(b), number(at, undefined), wanted.length ? wanted : null);
  else if (data.compared && !address) toggleComparison();
  else setPanes(wanted.some(([what]) => !what.startsWith("compare")) ? wanted.filter(([what]) => !what.startsWith("compare")) : usualPanes());
  if (comparison.isOn && wanted.length) panes.forEach((pane, i) => { pane.body.scrollTop = wanted[i][2] * LINE; });
  showVariants();
  showComparison();
  showTable();
  $("where").textContent = state.selected ? placeOf(state.selected) : "";
  isRestoring = false;
}

// The tables below the panes, folded to the bar of their names until one is chosen.

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
  comparison() {
    const a = variants[comparison.a], b = variants[comparison.b], marks = {equal: "=", different: "\u2260", "only A": "A", "only B": "B", unknown: "?"};
    const rows = comparison.rows.map((row, i) => element("tr", {class: "link " + row.verdict.replace(" ", "-") + (row.isStage ? " stage" : "") + (i === comparison.at ? " chosen" : ""), "data-verdict": row.verdict, onclick: () => comparison.choose(i)},
      element("td", {class: "verdict", title: row.verdict}, marks[row.verdict]), element("td", {}, row.name), element("td", {}, row.on),
      ...["a", "b"].map((side) => element("td", {class: "right"}, row[side] && !row.isStage ? milliseconds(row[side].ns) + (row[side].changed ? "" : " (no change)") : ""))));
    const count = (verdict) => comparison.rows.filter((row) => row.verdict === verdict).length;
    return [element("p", {class: "note"}, "Stages (bold) and passes of A, " + a.name + (a.pipeline ? " with " + a.pipeline : "") + ", and B, " + b.name + (b.pipeline ? " with " + b.pipeline : "") + ": " + count("equal") + " with equal results, " +
      count("different") + " with different ones, " + count("only A") + " only in A, " + count("only B") + " only in B. " + plural(comparison.unchanged, "pass") + " without a change " + (comparison.unchanged === 1 ? "is" : "are") + " left out. Numbers of values, and lines about the module's target, are ignored."),
      table([["", false], ["step", false], ["ran on", false], ["ms of A", true], ["ms of B", true]], rows)];
  },
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
        element("td", {}, element("span", {class: "time", style: "width:" + (120 * Number(pass.ns)) / longest + "px"}))));
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
    for (const variant of variants) {
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
    const micro = (ns) => (ns / 1e3).toFixed(1);
    return [table([["kernel"], ["device"], ["variant"], ["global size"], ["local size"], ["launches", true], ["least \u00b5s", true], ["mean \u00b5s", true], ["most \u00b5s", true], ["sum ms", true]],
      data.launches.map((l) => element("tr", {}, ...[l.kernel, l.device, l.variant, l.global.join(" \u00d7 "), l.local.join(" \u00d7 ")].map((text) => element("td", {}, text)),
        ...[String(l.count), micro(l.least), micro(l.sum / l.count), micro(l.most), milliseconds(l.sum)].map((text) => element("td", {class: "right"}, text)))))];
  },
  log(variant) {
    return [element("p", {class: "note"}, variant.log)];
  },
};
const TITLES = {comparison: "Comparison", passes: "Passes", remarks: "Remarks", kernels: "Registers and spills", launches: "Launches", log: "Log"};

/// How many rows a table has; tables without one have no tab.
function countOf(tab, variant) {
  if (tab === "comparison") return comparison.isOn ? comparison.rows.length : 0;
  if (tab === "launches") return data.launches.length;
  if (!variant) return 0;
  return {passes: variant.passes.filter((pass) => pass.changed).length, remarks: variant.remarks.length + variant.leftOut.remarks, kernels: variants.length, log: variant.log ? 1 : 0}[tab];
}

/// One line about the variant: whether its regions are vectors, registers, spills, the time of its passes.
function summaryOf(variant) {
  const parts = [], count = (test) => variant.remarks.filter((r) => test.test(r.text)).reduce((sum, r) => sum + r.count, 0);
  const vectors = count(/ is vectorized/), scalars = count(/ is not vectorized/);
  if (vectors + scalars) parts.push(vectors + " of " + plural(vectors + scalars, "region") + " vectorized");
  for (const name of ["vector registers", "VGPRs", "spills", "spilled VGPRs", "stack bytes"]) {
    const values = variant.facts.filter(([, fact]) => fact === name).map(([, , value]) => Number(value));
    const most = Math.max(...values);
    if (values.length && (most || name !== "stack bytes")) parts.push(most ? "at most " + most + " " + name : "no " + name);
  }
  parts.push("passes " + milliseconds(variant.passes.reduce((sum, pass) => sum + pass.ns, 0)) + " ms");
  return parts.join(" \u00b7 ");
}

function showTable() {
  const variant = currentVariant();
  const tabs = Object.keys(TABS).filter((tab) => countOf(tab, variant));
  if (!tabs.includes(state.tab)) state.tab = tabs[0] || "passes";
  $("tabs").replaceChildren(...tabs.map((tab) => {
    const count = countOf(tab, variant), isOpen = state.isDrawerOpen && tab === state.tab;
    return element("button", {"aria-expanded": String(isOpen), "aria-pressed": String(isOpen), "data-tab": tab, onclick: () => { state.isDrawerOpen = !isOpen; state.tab = tab; showTable(); saveAddress(); }},
      TITLES[tab] + (tab === "log" || tab === "kernels" ? "" : " " + count));
  }), element("span", {id: "summary"}, variant && !comparison.isOn ? summaryOf(variant) : ""));
  $("drawer").classList.toggle("closed", !state.isDrawerOpen);
  $("divider").hidden = !state.isDrawerOpen;
  $("drawer").style.height = state.isDrawerOpen ? state.drawer + "vh" : "";
  const top = $("table").scrollTop;
  $("table").replaceChildren(...(variant && state.isDrawerOpen ? TABS[state.tab](variant) : []));
  $("table").scrollTop = top;
}

// ---- passes ----------------------------------------------------------------------------------------------------------

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
    pane = panes.find((p) => stage && p.what === "stage:" + roleOf(stage) && p.what !== "stage:assembly") || stagePane();
    if (pane.what === "stage:assembly") pane = panes.find((p) => p.what !== "source" && p !== pane) || openPane("pass");
    pane.what = "pass";
  }
  pane.load(true);
  showStages();
  showTable();
  const chosen = document.querySelector("tr.chosen");
  if (chosen) chosen.scrollIntoView({block: "nearest"});
  pane.root.scrollIntoView({block: "nearest", inline: "nearest"});
  saveAddress();
}

function stepPass(direction) {
  if (comparison.isOn) return comparison.step(direction);
  const passes = currentVariant() ? currentVariant().passes : NONE;
  for (let i = state.pass + direction; i >= 0 && i < passes.length; i += direction)
    if (passes[i].changed) return choosePass(i);
}

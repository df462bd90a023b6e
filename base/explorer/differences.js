// Differences of texts: Myers' algorithm on lines, without the numbers of values, blocks and labels.

const MAX_EDITS = 2000; // of a difference; a larger one is shown as a whole
const CONTEXT = 3; // equal lines around a change

const normal = new Map();
function normalised(text) {
  const key = text.replace(/%\d+(#\d+)?|\^bb\d+|![0-9]+|#\d+|^\d+:|\.L[A-Za-z]*\d+_\d+|\$L__BB\d+_\d+/g, (m) => m[0]).replace(/; preds = .*/, "");
  let id = normal.get(key);
  if (id === undefined) normal.set(key, (id = normal.size));
  return id;
}

/// The identities of a text's lines.
function keysOf(variant, text) {
  const found = variant.texts[text];
  return found.keys || (found.keys = found.lines.map((line) => normalised(variant.lines[line])));
}

// Lines that describe the target of a whole module, or name the folder of the compilation. Two variants differ there in
// each stage.
const TARGET_LINE = /^(?:module attributes|module \{|target (?:triple|datalayout)|attributes #|; ModuleID|source_filename|\s*%\d+ = OpString ".*<stdin>")/;

/// The identities of a text's lines in a comparison of variants.
function comparedKeysOf(variant, text) {
  const found = variant.texts[text];
  return found.comparedKeys || (found.comparedKeys = found.lines.map((line) => normalised(TARGET_LINE.test(variant.lines[line]) ? "target" : variant.lines[line])));
}

/// Returns true if two texts have the same lines.
function isSame(a, textA, b, textB) {
  const x = comparedKeysOf(a, textA), y = comparedKeysOf(b, textB);
  return x.length === y.length && x.every((key, i) => key === y[i]);
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

/// The ranges of a difference's rows that are equal and not beside a change.
function equalRanges(isEqual) {
  const shown = new Uint8Array(isEqual.length);
  isEqual.forEach((equal, i) => {
    if (!equal) shown.fill(1, Math.max(0, i - CONTEXT), i + CONTEXT + 1);
  });
  const ranges = [];
  for (let i = 0; i < shown.length; i++) {
    if (shown[i]) continue;
    let end = i;
    while (end < shown.length && !shown[end]) end++;
    if (end - i > 1) ranges.push([i, end]);
    i = end;
  }
  return ranges;
}

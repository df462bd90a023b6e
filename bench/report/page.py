"""The page: one HTML file without external parts."""
import svg
import words
from svg import escape

STYLE = """
:root{%(light)s;color-scheme:light}
:root[data-theme=dark]{%(dark)s;color-scheme:dark}
@media(prefers-color-scheme:dark){:root:not([data-theme=light]){%(dark)s;color-scheme:dark}}
*{box-sizing:border-box}
body{margin:0;background:var(--band);color:var(--text);font:15px/1.5 system-ui,sans-serif}
main{max-width:1120px;margin:0 auto;padding:24px 16px 64px}
header{display:flex;align-items:baseline;gap:16px;flex-wrap:wrap}
h1{font-size:24px;margin:8px 0}h2{font-size:17px;margin:0 0 4px}
p{margin:4px 0 12px;color:var(--dim)}
section{background:var(--background);border:1px solid var(--grid);border-radius:10px;padding:18px 24px;margin:18px 0;overflow-x:auto}
svg{max-width:100%%;height:auto;display:block}
.mark{stroke:var(--background);stroke-width:1}.mark:hover{stroke:var(--text);stroke-width:2}
table{border-collapse:collapse;width:100%%;font-size:13px;font-variant-numeric:tabular-nums}
th,td{text-align:right;padding:4px 10px;border-bottom:1px solid var(--grid);white-space:nowrap}
th:first-child,td:first-child,td.words,th.words{text-align:left}td.words{white-space:normal}
th{color:var(--dim);font-weight:600;cursor:pointer}
input,button,select{font:inherit;color:inherit;background:var(--background);border:1px solid var(--grid);border-radius:6px;padding:4px 10px}
.error{color:var(--c1)}
nav{margin-left:auto}
@media print{section{break-inside:avoid}nav,input{display:none}}
""" + svg.css()

SCRIPT = """
const root = document.documentElement;
const isDark = () => root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
function turn() { root.dataset.theme = isDark() ? 'light' : 'dark'; }
document.getElementById('theme').onclick = turn;
const rows = [...document.querySelectorAll('tbody tr')];
const filter = document.getElementById('filter');
filter.oninput = () => { for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(filter.value.toLowerCase()); };
for (const list of document.querySelectorAll('select[data-choice]')) list.onchange = () => {
  for (const one of document.getElementById(list.dataset.choice + '-choice').children) one.hidden = one.dataset.name !== list.value;
};
addEventListener('keydown', event => { if (event.key === 't' && event.target !== filter) turn(); });
document.querySelectorAll('th').forEach((head, column) => head.onclick = () => {
  const value = row => { const cell = row.cells[column]; return cell.dataset.value ? +cell.dataset.value : cell.textContent; };
  const down = head.dataset.down = head.dataset.down === '1' ? '' : '1';
  rows.sort((a, b) => { const x = value(a), y = value(b); return (x < y ? -1 : x > y ? 1 : 0) * (down ? 1 : -1); });
  rows.forEach(row => row.parentNode.append(row));
});
"""


def choice(identifier, names, drawings, chosen):
    """A list of names with a picture for each, of which the chosen one is visible. The page's script shows another."""
    options = "".join(f'<option{" selected" if name == chosen else ""}>{escape(name)}</option>' for name in names)
    pictures = "".join(f'<div data-name="{escape(name)}"{"" if name == chosen else " hidden"}>{drawing.body()}</div>'
                       for name, drawing in zip(names, drawings))
    return (f'<p><label>Base <select data-choice="{identifier}" aria-label="base">{options}</select></label></p>'
            f'<div id="{identifier}-choice">{pictures}</div>')


def section(identifier, title, text, drawings, pictures=None):
    pictures = pictures or "".join(drawing.body() for drawing in drawings)
    return f'<section id="{identifier}"><h2>{escape(title)}</h2><p>{escape(text)}</p>{pictures}</section>'


def cell(value, text):
    return f'<td data-value="{value}">{escape(text)}</td>' if value is not None else "<td></td>"


def table(measurements):
    heads = ("benchmark", "platform", "device", "processors", "median", "spread", "bandwidth", "items", "of the roof", "notes")
    lines = []
    for one in measurements:
        spread = (one.high - one.low) / 2 / one.seconds if one.seconds else None
        bandwidth, items = one.values.get("bytes_per_second"), one.values.get("items_per_second")
        roof = one.values.get("roofline_%")
        lines.append(
            f"<tr><td>{escape(one.name)}</td><td class=words>{escape(one.platform)}</td>"
            f"<td class=words>{escape(one.device)}</td>" + cell(one.processors, one.processors) + cell(one.seconds, words.time(one.seconds or 0)) +
            cell(spread, f"± {100 * (spread or 0):.1f}%") + cell(bandwidth, words.rate(bandwidth or 0, "B")) +
            cell(items, words.rate(items or 0, "")) + cell(roof, f"{roof or 0:.0f}%") +
            (f'<td class="words error">{escape(one.error)}</td>' if one.error else
             f"<td class=words>{escape(one.label)}</td>") + "</tr>")
    row = "".join(f"<th{' class=words' if n in (1, 2, 9) else ''}>{head}</th>" for n, head in enumerate(heads))
    missing = dict.fromkeys(line for one in measurements for line in one.missing.split("\n") if line)
    notes = "".join(f"<br>{escape(line)}" for line in missing)
    return (f'<section id="table"><h2>All numbers</h2><p><input id="filter" placeholder="filter" aria-label="filter">'
            f"</p><table><thead><tr>{row}</tr></thead><tbody>{''.join(lines)}</tbody></table>" +
            (f'<p id="missing">Not measured:{notes}</p>' if notes else "") + "</section>")


def page(title, subtitle, sections, measurements):
    style = STYLE % {"light": svg.LIGHT_VARIABLES, "dark": svg.DARK_VARIABLES}
    return (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
            f'<meta name="viewport" content="width=device-width"><style>{style}</style></head><body><main>'
            f'<header><h1>{escape(title)}</h1><nav><button id="theme" title="light or dark (t)">light / dark</button>'
            f"</nav></header><p>{escape(subtitle)}</p>{''.join(sections)}{table(measurements)}"
            f"</main><script>{SCRIPT}</script></body></html>\n")

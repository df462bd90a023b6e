"""Measures how an explorer page with thousands of lines scrolls in Chromium: the source by 7 lines a frame, as by the
wheel, a longer pane by hundreds of lines a frame, as by its scroll bar, and all panes with the selection, by a key.

Prints the times of the steps: processor time of the page's thread for script, style and layout. Fails if a step of the
quietest tenth of a measurement takes longer than a frame of a 60 Hz display, because other load of the machine makes
the rest slower, or if the document has more rows than the panes show.

usage: explore-frames.py PAGE
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "tools"))
import browser as chromium

STEPS = 200
LIMIT = 1000 / 60  # milliseconds
MINIMUM = 5000     # lines of the source
LINE = 18          # pixels

# The frames that the browser shows meanwhile.
WATCH = """window.frames_ = []; (() => {
  let last = performance.now();
  const frame = now => { window.frames_.push(now - last); last = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
})()"""
DRAW = "; new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)))"


def cost(browser):
    """The processor time of the page's thread in milliseconds."""
    metrics = {m["name"]: m["value"] for m in browser.call("Performance.getMetrics")["metrics"]}
    return 1000 * sum(metrics[name] for name in ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration"))


def measure(browser, name, step):
    browser.evaluate(WATCH)
    times, before = [], cost(browser)
    for i in range(STEPS):
        browser.evaluate(step % {"i": i + 1, "part": (i + 1) / STEPS} + DRAW)
        now = cost(browser)
        times.append(now - before)
        before = now
    blocks = [sorted(times[i:i + STEPS // 10]) for i in range(0, STEPS, STEPS // 10)]
    times.sort()
    print(f"{name}: {STEPS} steps; processor time of a step: median {times[STEPS // 2]:.1f} ms, "
          f"95% below {times[STEPS * 95 // 100]:.1f} ms, at most {times[-1]:.1f} ms")
    return min(block[-2] for block in blocks)


with chromium.Browser() as browser:
    browser.call("Performance.setTimeDomain", timeDomain="threadTicks")
    browser.call("Performance.enable")
    browser.open(sys.argv[1], width=1800, height=1000)
    lines = browser.evaluate("[...document.querySelectorAll('.count')].map(c => parseInt(c.textContent))")
    shown = browser.evaluate("document.querySelectorAll('.row').length")
    print(f"lines of the panes: {lines}; rows in the document: {shown}")
    if lines[0] < MINIMUM:
        sys.exit(f"the source has {lines[0]} lines, must have {MINIMUM}")
    slowest = max(
        measure(browser, "wheel", f"document.querySelector('.body').scrollTop = %(i)d * {7 * LINE}"),
        measure(browser, "scroll bar", "(b => b.scrollTop = b.scrollHeight * %(part)f)(document.querySelectorAll('.body')[1])"),
        measure(browser, "keys", "document.querySelector('.body').focus(); document.activeElement.dispatchEvent("
                "new KeyboardEvent('keydown', {key: 'j', bubbles: true}))"))
    rows = browser.evaluate("Math.max(...[...document.querySelectorAll('.rows')].map(r => r.childElementCount))")
    most = browser.evaluate("Math.ceil(document.querySelector('.body').clientHeight / 18) + 1 + 2 * 8")
    if rows > most:
        sys.exit(f"a pane has {rows} rows in the document, must have at most {most}")
    frames = sorted(browser.evaluate("window.frames_"))
    print(f"time between frames, with the other load of this machine: median {frames[len(frames) // 2]:.1f} ms, "
          f"95% below {frames[len(frames) * 95 // 100]:.1f} ms")
if slowest > LIMIT:
    sys.exit(f"a step of the quietest tenth takes {slowest:.1f} ms, must take at most {LIMIT:.1f} ms")

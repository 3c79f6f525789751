"""A picture of a terminal: what pyte has drawn, as SVG. Each word is stretched to its cells, so that columns are straight whatever font
there is, and whatever is done to spaces."""
import re
from itertools import groupby
from xml.sax.saxutils import escape

WIDE, HIGH, EDGE = 8, 18, 10
INK, PAPER = "#d8d8d2", "#1b1d1f"
COLOURS = {"default": INK, "black": "#000000", "red": "#f0806a", "green": "#7cc48c", "brown": "#dcae5a", "yellow": "#dcae5a", "blue": "#7fa8e0",
           "magenta": "#c79ad0", "cyan": "#6fc0c8", "white": "#ffffff"}


def look(cell):
    return cell.fg, cell.bg, cell.bold, cell.reverse


def colours(fg, bg, reverse):
    ink, paper = COLOURS.get(fg, "#" + fg), PAPER if bg == "default" else COLOURS.get(bg, "#" + bg)
    return (paper, ink) if reverse else (ink, paper)


def run(line, column, cells):
    fg, bg, bold, reverse = look(cells[0])
    ink, paper = colours(fg, bg, reverse)
    x, y, text = EDGE + column * WIDE, EDGE + line * HIGH, "".join(cell.data for cell in cells)
    if paper != PAPER:
        yield '<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>' % (x, y, len(cells) * WIDE, HIGH, paper)
    for word in re.finditer(r"\S+", text):
        yield '<text x="%d" y="%d" textLength="%d" lengthAdjust="spacingAndGlyphs" fill="%s"%s>%s</text>' % (
            x + word.start() * WIDE, y + HIGH - 5, len(word.group()) * WIDE, ink, ' font-weight="bold"' if bold else "", escape(word.group()))


def svg(screen, title):
    wide, high = screen.columns * WIDE + 2 * EDGE, screen.lines * HIGH + 2 * EDGE
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" font-size="13"'
             ' font-family="ui-monospace, Menlo, Consolas, \'DejaVu Sans Mono\', monospace">' % (wide, high, wide, high),
             "<title>%s</title>" % escape(title), '<rect width="%d" height="%d" rx="6" fill="%s"/>' % (wide, high, PAPER)]
    for line in range(screen.lines):
        column = 0
        for _, cells in groupby([screen.buffer[line][n] for n in range(screen.columns)], look):
            cells = list(cells)
            parts += run(line, column, cells)
            column += len(cells)
    return "\n".join(parts + ["</svg>", ""])

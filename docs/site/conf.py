# Configuration of Sphinx for the pages that make_site.py collects.
from pygments.lexers.special import TextLexer

project = "Kiln"
extensions = ["myst_parser"]
root_doc = "docs/README"
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4  # links to headings, as GitHub has them
myst_url_schemes = ("http", "https")
suppress_warnings = ["misc.highlighting_failure",  # code blocks are shortened with ...
                     "myst.header"]  # mlir-tblgen's pages leave out a level of headings
html_theme = "furo"
html_title = "Kiln"
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}


def setup(app):
    app.add_lexer("mlir", TextLexer)  # Pygments has none
    app.add_lexer("tablegen", TextLexer)

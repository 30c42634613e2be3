"""The settings of Sphinx. `python -m tools.site` gives it the folder that `stage` has written."""

from importlib import metadata
from pathlib import Path

project = "Ocelot"
author = "The authors of Ocelot"
project_copyright = "the authors of Ocelot, Apache-2.0"
release = version = metadata.version("ocelot-boost")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "tools.site.mathml",
    "tools.site.docstrings",
]
root_doc = "index"
smartquotes_action = "D"  # dashes, and no quotes: these are code
toc_object_entries_show_parents = "hide"

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 5
myst_dmath_double_inline = True

autodoc_default_options = {"exclude-members": "__init__, __new__"}
autodoc_typehints = "none"
autodoc_class_signature = "separated"
autodoc_member_order = "groupwise"
autodoc_inherit_docstrings = True
napoleon_google_docstring = False

html_theme = "furo"
html_title = f"Ocelot {release}"
html_static_path = [str(Path(__file__).parent / "static")]
html_css_files = ["site.css"]
html_js_files = ["filter.js"]
html_math_renderer = "mathml"
html_show_sphinx = False
html_show_search_summary = False  # it would be fetched, which browsers forbid for files
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#a1460a", "color-brand-content": "#a1460a"},
    "dark_css_variables": {"color-brand-primary": "#f2a65a", "color-brand-content": "#f2a65a"},
}
highlight_language = "text"  # blocks without a language are only to be read
pygments_style = "friendly"
pygments_dark_style = "github-dark"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

"""Of Sphinx. The pages that it reads are those that docs/tools/stage.py has put together from docs/, the headers, the tool and the
plugins."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(os.environ["DOCS_ROOT"])
sys.path[:0] = [str(ROOT / "docs" / "tools"), str(ROOT / "Bindings" / "Python")]

project = "MediaSDK"
author = "the MediaSDK authors"
copyright = "the MediaSDK authors"  # noqa: A001
release = version = os.environ.get("DOCS_VERSION", "")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton", "mediasdk_site"]
myst_enable_extensions = ["deflist", "attrs_inline", "attrs_block", "colon_fence"]
myst_heading_anchors = 4
exclude_patterns = ["tools", "README.md"]
highlight_language = "none"
suppress_warnings = ["misc.highlighting_failure"]
smartquotes = False  # two hyphens are an option, not a dash
add_function_parentheses = False

html_theme = "furo"
html_title = f"MediaSDK {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_search_summary = False  # they are fetched, which a browser refuses for files
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"sidebar_hide_name": False, "navigation_with_keys": True}
html_permalinks_icon = "#"

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
napoleon_use_ivar = True
napoleon_use_rtype = False
c_maximum_signature_line_length = 72
python_maximum_signature_line_length = 72
toc_object_entries_show_parents = "hide"
copybutton_exclude = ".linenos, .gp, .go"

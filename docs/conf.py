"""Configuration of the documentation site (Sphinx)."""

import runpy
from pathlib import Path

import optanon

# The picture of the rooms, and the reference pages, are of the code as it is now.
for drawn in ("draw_rooms.py", "draw_reference.py"):
    runpy.run_path(str(Path(__file__).parent / drawn), run_name="__main__")

project = "optanon"
author = "the optanon developers"
release = optanon.__version__
copyright = author  # noqa: A001 - Sphinx wants this name

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_nb",
]
exclude_patterns = ["_build", "jupyter_execute"]
html_theme = "furo"
html_title = "optanon"
templates_path = ["_templates"]

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
add_module_names = False

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 180
nitpicky = True
nitpick_ignore_regex = [
    # Python's own, without an inventory: the documentation is built without a network.
    ("py:class", r"(enum|abc)\.\w+"),
    # What public classes have in common, told on their own pages (`:inherited-members:`); not public itself.
    ("py:class", r"optanon\.(models\.domain\.Domain|models\.requirements\.link_budget\.LinkBudget)"),
    ("py:class", r"optanon\.models\.verdicts\.GroupJudge"),
    ("py:class", r"optanon\.solver\.(written\.StrictRecord|insight\.explain\.findings\.Findings)"),
]

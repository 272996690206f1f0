"""conf.py - how Sphinx makes the site; scripts/docs.sh calls it.

SPDX-License-Identifier: MIT
"""
import importlib.util
import os

project = 'Varve'
copyright = 'the authors of Varve, MIT license'
version = release = os.environ['VARVE_VERSION']

extensions = ['myst_parser']
myst_heading_anchors = 4  # the names that forges give to headings
highlight_language = 'none'
primary_domain = None
smartquotes = False
add_function_parentheses = False
nitpicky = True
# What the C library and other libraries declare is described elsewhere.
nitpick_ignore_regex = [('c:identifier', r'(?!varve_|VARVE_).*'),
                        ('py:.*', r'(?!varve\.).*')]

html_theme = 'furo' if importlib.util.find_spec('furo') else 'alabaster'
html_title = f'Varve {release}'
html_static_path = ['_static']
html_css_files = ['site.css']
html_domain_indices = False
html_copy_source = False
html_show_sphinx = False
html_permalinks_icon = '#'

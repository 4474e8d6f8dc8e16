"""The numbers of a report, one module per section: pure functions that return plain values; nothing here draws or writes HTML.

To add a section, write its module here, put what it returns into the dictionary of `summarise`, write
``templates/sections/<key>.html`` and list it in `_render._SECTIONS`; a chart gets its coordinates from `_charts`.
"""

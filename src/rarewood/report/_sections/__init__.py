"""The numbers of a report, one module per section: functions of a `Subject` that return plain values and draw nothing.

To add a section, write its module here, list its function in `_summarise._SECTIONS`, write
``templates/sections/<key>.html`` and list it in `_render._SECTIONS`; a chart gets its coordinates from `_charts`.
"""

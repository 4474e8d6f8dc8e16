"""Awkward tables by kind: frames for Python, files for the command line, whole exports."""

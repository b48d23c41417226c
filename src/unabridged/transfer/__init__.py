"""Import and export: other tools' transcripts into logs of this library, and conversations into files of other tools.

A shell over `importers` and `exporters`. Modules are imported by name, so that the command line starts without them.
"""

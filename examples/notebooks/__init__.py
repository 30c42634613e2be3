"""Notebooks: percent scripts, which `make site` runs and turns into pages."""

"""Makers of checked-in files: the stub of the native module, the page of parameters."""

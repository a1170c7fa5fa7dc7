"""Edges to the outside world; each fulfils one port."""

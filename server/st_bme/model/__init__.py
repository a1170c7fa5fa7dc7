"""The nouns of the domain as frozen dataclasses: they know no I/O and no other folder but errors."""

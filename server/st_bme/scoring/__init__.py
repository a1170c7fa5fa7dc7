"""Numbers in, numbers out: the arithmetic of recall, on numpy arrays alone."""

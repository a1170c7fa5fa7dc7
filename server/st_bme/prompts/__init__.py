"""One file a prompt: its text, and the form of the answer beside it."""

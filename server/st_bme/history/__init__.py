"""Message keys, the view of a chat and what changed between two views."""

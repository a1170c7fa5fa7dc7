"""Write path: new messages become operations."""

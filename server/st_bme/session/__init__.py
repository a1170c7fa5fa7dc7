"""One owner a chat: the lock, the queue and the work that goes on behind a reply."""

"""The HTTP side of the server: routes, security, events."""

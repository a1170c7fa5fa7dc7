"""Read path: a query becomes the text to inject."""

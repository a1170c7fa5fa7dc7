"""The memory graph as an aggregate: records, which of them live, and the fold that makes the graph of them."""

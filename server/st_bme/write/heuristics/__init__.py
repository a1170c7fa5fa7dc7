"""Reading a message without any model: patterns for English and Chinese, each message for itself."""

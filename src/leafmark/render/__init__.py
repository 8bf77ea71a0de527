"""What was found or done, as text, JSON and HTML. Decides nothing about relevance."""

"""Results to text, JSON and Markdown. Decides nothing about relevance."""

"""Files that tell programs of a project: AGENTS.md and the like, `llms.txt`."""

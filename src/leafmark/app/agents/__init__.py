"""Files about a project for programs: AGENTS.md and similar ones, `llms.txt`."""

"""What is in force in a folder: files, environment and flags, and what of them is trusted."""

"""The configuration in force in a folder: files, environment, flags, and their permissions."""

"""leafmark: find, read and cite the one part of many documents that matters."""

__version__ = "0.1.0"

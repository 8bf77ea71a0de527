"""What is said when a provider's package is not installed."""

from __future__ import annotations

from leafmark.errors import ProviderError
from leafmark.installing import install_extra, install_package

__all__ = ["missing_extra", "missing_package"]


def missing_extra(provider: str, extra: str, error: ImportError) -> ProviderError:
    return ProviderError(
        f"the embedder {provider} needs a package that is not installed: {error.name}",
        hint=install_extra(extra),
    )


def missing_package(package: str, what: str) -> ProviderError:
    """Return the error for a provider, `what` it is, that has its package's name."""
    return ProviderError(
        f"the {what} {package} needs a package that is not installed: {package}",
        hint=install_package(package),
    )

"""What is said when a provider's package is not installed."""

from __future__ import annotations

from leafmark.errors import ProviderError

__all__ = ["missing_extra", "missing_package"]


def missing_extra(provider: str, extra: str, error: ImportError) -> ProviderError:
    return ProviderError(
        f"the embedder {provider} needs a package that is not installed: {error.name}",
        hint=f'pip install "leafmark[{extra}]"',
    )


def missing_package(provider: str, package: str, what: str = "embedder") -> ProviderError:
    return ProviderError(
        f"the {what} {provider} needs a package that is not installed: {package}",
        hint=f"pip install {package}",
    )

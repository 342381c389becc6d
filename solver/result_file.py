"""Reading a certificate out of a result file, or alone."""

from __future__ import annotations

from pathlib import Path

from ..instances.bounded import read_json
from ..models.errors import CertificateError
from .certificate import BOUNDS, Certificate

__all__ = ["read_result"]


def read_result(path: str | Path) -> Certificate:
    """Read the certificate of a result file, or one that stands alone.

    Raises
    ------
    CertificateError
        If there is none.
    """
    content = read_json(path, kind=CertificateError, bounds=BOUNDS)
    if isinstance(content, dict) and "certificate" in content:
        content = content["certificate"]
    return Certificate.of(content)

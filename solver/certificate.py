"""What can be re-checked without a solver, as one JSON file.

It names tuples by their row in the steward's table and carries no respondent id, no
sensitive value and no counterfeit's value.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ..models.errors import CertificateError

__all__ = ["FORMAT", "Certificate"]

FORMAT = 1


@dataclass(frozen=True)
class Certificate:
    """The certificate's content, ready for JSON."""

    content: dict[str, Any]

    def to_json(self) -> str:
        """The file's text; the same certificate always gives the same text."""
        return json.dumps(self.content, indent=2, sort_keys=True) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Certificate:
        """Read a certificate.

        Raises
        ------
        CertificateError
            If the text is no certificate of a known format.
        """
        try:
            content = json.loads(text)
        except json.JSONDecodeError as error:
            raise CertificateError(f"the certificate is not JSON (line {error.lineno})") from error
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise CertificateError(f"the certificate is not of format {FORMAT}")
        return cls(content)

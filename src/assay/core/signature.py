"""Signatures: every choice that made the numbers of a result, as data that is rendered late.

`str(signature)` is the long form, for files and papers; `signature.short` is the one line below a table.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assay.core.interface import INTERFACE, Interface

if TYPE_CHECKING:
    from assay.core.policies import Policies


@dataclass(frozen=True, slots=True)
class SignedMeasure:
    """A measure with all its parameters, its policies where they are its own, and the software it is based on."""

    full_name: str
    policies: Policies | None = None
    basis: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Signature:
    """How numbers were computed: the version, the convention, the policies, the measures and the task's own choices.

    `usual` are the convention's policies: the short form names those that differ from them. `details` are the choices
    of a task beyond the scores, such as a test and its seed. `owner` is what the signature belongs to, for the hint.
    """

    version: str
    convention: str
    policies: Policies
    usual: Policies
    measures: tuple[SignedMeasure, ...] = ()
    subject: str = "rankings"
    details: tuple[str, ...] = ()
    owner: str = "result"

    def __str__(self) -> str:
        how = f"convention={self.convention} {self.policies}" if self.subject == "rankings" else self.subject
        parts = [f"assay {self.version}", how, "measures:", *map(self._describe, self.measures), *self.details]
        return " ".join(parts)

    def __repr__(self) -> str:
        return f"<Signature: {self}>"

    @property
    def short(self) -> str:
        """One line: the version, the convention, the policies that differ from it, and where to find the rest."""
        return f"{self.summary}, {self.hint}"

    @property
    def summary(self) -> str:
        """The version, the convention, and the policies that differ from it."""
        if self.subject != "rankings":
            return f"assay {self.version}, {self.subject}"
        changed = self.policies.differing(self.usual)
        return f"assay {self.version}, convention {self.convention}" + (f", {changed}" if changed else "")

    @property
    def hint(self) -> str:
        """Where to find the rest."""
        return f"details: {self.owner}.signature" if INTERFACE.get() is Interface.PYTHON else "details: --format json"

    def with_details(self, *details: str, owner: str = "result") -> Signature:
        """The signature of a task that adds choices of its own."""
        return replace(self, details=(*self.details, *details), owner=owner)

    def _describe(self, measure: SignedMeasure) -> str:
        own = "" if measure.policies is None else measure.policies.differing(self.policies)
        about = "; ".join(each for each in (own, measure.basis) if each)
        return measure.full_name + (f"[{about}]" if about else "")

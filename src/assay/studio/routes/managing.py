"""Managing the studio: guidelines, people, and the tokens of programs."""

from __future__ import annotations

from fastapi import APIRouter

from assay.studio.routes.asking import Manager, Reader, TheAccess, TheStudio
from assay.studio.routes.models import Fields, GuidelinesIn, TokenIn, VoterIn
from assay.studio.store.events import check_name
from assay.studio.store.store import check_same_kind
from assay.studio.studio import GUIDELINES

router = APIRouter(tags=["managing"])


@router.get("/voters")
def list_voters(studio: TheStudio, _: Reader) -> Fields:
    """Everybody who may vote or has voted, and the programs that have a token."""
    people = [
        {
            "name": each.name,
            "kind": each.kind,
            "admin": each.is_admin,
            "password": each.has_password,
            "votes": len(studio.judgments.voted.get(each.name, ())),
        }
        for each in studio.store.voters()
    ]
    return {"voters": people, "applications": studio.store.applications()}


@router.post("/voters", status_code=201)
def add_voter(body: VoterIn, studio: TheStudio, access: TheAccess, _: Manager) -> Fields:
    """Adds somebody, or sets a new password, or whether they manage the studio."""
    name = check_name("voter", body.name)
    known = studio.store.voter(name)
    if known is not None:
        check_same_kind(known, "person")
    studio.add_voter(name, password=body.password, is_admin=body.admin)
    access.forget()
    return {"name": name}


@router.post("/tokens", status_code=201)
def add_token(body: TokenIn, studio: TheStudio, _: Manager) -> Fields:
    """A token for a program; it is shown once."""
    name = check_name("application", body.application)
    return {"application": name, "token": studio.store.add_token(name)}


@router.delete("/tokens")
def revoke_tokens(body: TokenIn, studio: TheStudio, access: TheAccess, _: Manager) -> Fields:
    """Makes the tokens of a program worthless."""
    revoked = studio.store.revoke_tokens(check_name("application", body.application))
    access.forget()
    return {"application": body.application, "revoked": revoked}


@router.put("/guidelines")
def set_guidelines(body: GuidelinesIn, studio: TheStudio, _: Manager) -> Fields:
    """Says what voters are told."""
    studio.store.set_setting(GUIDELINES, body.text)
    return {"text": studio.guidelines}

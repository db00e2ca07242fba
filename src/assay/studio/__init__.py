"""The studio: a web application where people judge, and where every number follows their votes."""

from assay.studio.api import (
    MEASURES,
    STORE,
    add_person,
    add_token,
    back_up,
    default_store,
    need_studio,
    read_collection,
    revoke_tokens,
    run_studio,
)

__all__ = [
    "MEASURES",
    "STORE",
    "add_person",
    "add_token",
    "back_up",
    "default_store",
    "need_studio",
    "read_collection",
    "revoke_tokens",
    "run_studio",
]

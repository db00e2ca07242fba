"""What a studio keeps, in an SQLite file or in PostgreSQL."""

try:
    import sqlalchemy as _  # noqa: F401 - everything here needs it
except ImportError:
    from assay.core.errors import AssayError

    raise AssayError('the studio needs the package SQLAlchemy; install it with: pip install "assay[studio]"') from None

from assay.studio.store.record import Writer
from assay.studio.store.schema import KeyConflictError, NewVote, Recorded, StoredVoter, StoreError, VoteEvent
from assay.studio.store.store import Store

__all__ = ["KeyConflictError", "NewVote", "Recorded", "Store", "StoreError", "StoredVoter", "VoteEvent", "Writer"]

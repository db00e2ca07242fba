"""What a studio keeps, in an SQLite file or in PostgreSQL."""

try:
    import sqlalchemy as _  # noqa: F401 - everything here needs it
except ImportError:
    from assay.core.errors import AssayError

    raise AssayError('the studio needs the package SQLAlchemy; install it with: pip install "assay[studio]"') from None

from assay.studio.store.events import KeyConflictError, NewVote, Recorded, StoredVoter, StoreError, VoteEvent
from assay.studio.store.store import Store
from assay.studio.store.writer import Writer

__all__ = ["KeyConflictError", "NewVote", "Recorded", "Store", "StoreError", "StoredVoter", "VoteEvent", "Writer"]

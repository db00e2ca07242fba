"""The command `assay`, and `python -m assay` where it is not on the path."""

import gc
import os
import sys

INTERRUPTED, FAILED = 130, 2
TOO_MANY_FILES = "Too many open files"


def main() -> None:
    """Runs the command and ends the process; Ctrl-C ends it soon and quietly, also while it is being loaded."""
    try:
        if sys.argv[1:] == ["--version"] and write_version():
            return
        # What is loaded stays, so there is no garbage to look for until the subcommand is loaded.
        gc.disable()
        from assay.cli.interrupt import guard

        guard()
        from assay.cli.main import main as run

        run()
    except KeyboardInterrupt:
        leave()
    except SystemExit as end:
        if end.code == INTERRUPTED:
            leave()
        raise
    except RuntimeError as error:
        # Until Python 3.12 this is what becomes of Ctrl-C in the middle of the definition of a class.
        if isinstance(error.__cause__, KeyboardInterrupt):
            leave()
        raise
    except (ImportError, OSError) as error:
        # What is imported before anything else can be caught.
        if TOO_MANY_FILES not in str(error):
            raise
        sys.stderr.write(f"assay: {TOO_MANY_FILES}; close some, or allow more (ulimit -n)\n")
        sys.exit(FAILED)


def write_version() -> bool:
    """Writes the version before anything is loaded; false if that fails, which the command itself explains."""
    from assay._kernel import __version__

    try:
        return sys.stdout is not None and os.write(sys.stdout.fileno(), f"assay {__version__}\n".encode()) > 0
    except (OSError, ValueError):
        return False


def leave() -> None:
    """Ends the process at once: giving back the memory of a large file takes longer than a user waits."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # noqa: BLE001, S112 - nobody is left to tell
            continue
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()

"""`python -m assay`: the command, where it is not on the path."""

from assay.cli.main import main

if __name__ == "__main__":
    main()

"""`python -m unabridged`: the command line."""

from unabridged.cli import main

if __name__ == "__main__":
    main()

"""``python -m rarewood.cli`` is ``rarewood``."""

from rarewood.cli import main

if __name__ == "__main__":
    main()

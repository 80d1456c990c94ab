"""``python -m fuzz``: see `fuzz.command`."""

import sys

from fuzz.command import main

sys.exit(main())

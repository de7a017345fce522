# shop.py: shared by the programs below
import os

from malipo import Malipo

malipo = Malipo(
    os.environ.get("MALIPO_URL", "http://127.0.0.1:8080"),
    os.environ.get("MALIPO_VID", "demo"),
    os.environ.get("MALIPO_KEY", "demo-security-key"),
)

"""What a game brings to the page: its module, its manifest, its networks."""
from __future__ import annotations
from dataclasses import dataclass
from pathlib import Path
from collections.abc import Mapping
from typing import Any
FOLDER = Path("/tmp/page_products")

@dataclass(frozen=True)
class Product:
    stem: str
    module: bytes
    manifest: bytes
    networks: Mapping[int, tuple[str, bytes]]

def product_files(kind: Any) -> Product:
    module = next(FOLDER.glob(f"{kind.name}.*.wasm"))
    return Product(module.stem, module.read_bytes(), module.with_suffix(".json").read_bytes(), {})

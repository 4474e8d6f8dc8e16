"""A contract for import-linter: what a package keeps to itself begins with an underscore.

Inside ``root``, a module may import of another package the package itself and modules without an underscore in front, at
any depth. Whether the package is private to the root does not matter: its own ``__init__`` is what it offers.
"""

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


def is_private_import(root: str, importer: str, imported: str) -> bool:
    """Whether a module reaches into a package it is not part of."""
    if not imported.startswith(f"{root}."):
        return False
    here, there = (name.removeprefix(f"{root}.").split(".") for name in (importer, imported))
    return here[0] != there[0] and any(part.startswith("_") for part in there[1:])


class PrivateImports(Contract):
    """No private module is imported from another package."""

    root = fields.StringField()

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        wrong = [
            (importer, imported)
            for importer in sorted(graph.modules)
            for imported in sorted(graph.find_modules_directly_imported_by(importer))
            if is_private_import(self.root, importer, imported)
        ]
        return ContractCheck(kept=not wrong, metadata={"wrong": wrong})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for importer, imported in check.metadata["wrong"]:
            output.print_error(f"{importer} imports {imported}, which is private to its package.", bold=False)

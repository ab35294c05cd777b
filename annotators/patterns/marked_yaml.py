"""YAML with line numbers: what a rule file needs so that every fault names its line."""

from __future__ import annotations

from typing import Any

from ...pipeline.errors import Fault

Path = tuple[str | int, ...]


class MarkedYaml:
    """A YAML document as plain data, and the line each value stands on.

    `data` is what the file says; `faults` what is wrong with the YAML itself: syntax, duplicate keys, keys that are no
    strings. Aliases, anchors and merge keys work as in YAML; tags other than YAML's own are faults.
    """

    def __init__(self, text: str, file: str) -> None:
        import yaml

        self.file = file
        self.faults: list[Fault] = []
        self.data: Any = None
        self._lines: dict[Path, int] = {}
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
        try:
            node = loader.get_single_node()
            if node is not None:
                self._walk(loader, node, ())
                self.data = loader.construct_document(node)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            problem = error.problem if isinstance(error, yaml.parser.ParserError | yaml.scanner.ScannerError) else ""
            self.faults.append(
                Fault("", f"no valid YAML{': ' if problem else ''}{problem}", file, mark.line + 1 if mark else 1)
            )
            self.data = None
        except yaml.YAMLError:
            self.faults.append(Fault("", "no valid YAML: a character that YAML does not allow", file))
            self.data = None
        finally:
            loader.dispose()

    def line(self, path: Path) -> int:
        """The line (from 1) of the value at `path`, or of what surrounds it."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)

    def fault(self, path: Path, where: str, what: str) -> None:
        """Notes a fault at the line of `path`."""
        self.faults.append(Fault(where, what, self.file, self.line(path)))

    def _walk(self, loader: Any, node: Any, path: Path) -> None:
        import yaml

        if len(path) > 20:
            return
        self._lines.setdefault(path, node.start_mark.line + 1)
        if isinstance(node, yaml.SequenceNode):
            for i, item in enumerate(node.value):
                self._walk(loader, item, (*path, i))
        elif isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                name = key.value if isinstance(key, yaml.ScalarNode) else ""
                if name and (*path, name) in self._lines and key.tag != "tag:yaml.org,2002:merge":
                    first = self._lines[(*path, name)]
                    self.faults.append(
                        Fault(name, f"key stands twice (first in line {first})", self.file, key.start_mark.line + 1)
                    )
                self._walk(loader, value, (*path, name))
                self._lines[(*path, name)] = key.start_mark.line + 1

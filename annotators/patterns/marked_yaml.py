"""YAML with line numbers: what a rule file needs so that every fault names its line."""

from __future__ import annotations

from typing import Any

from ...pipeline.errors import Fault
from ...pipeline.storage.yaml_source import MOST_VALUES, bottomless

Path = tuple[str | int, ...]


class _TooManyError(Exception):
    """There are more values than can be looked at."""


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
        self._most = max(MOST_VALUES, len(text))  # without aliases, no text holds more values than characters
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
        try:
            if bottomless(text):
                raise RecursionError
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
        except _TooManyError:
            what = f"no valid YAML: more than {self._most} values: do aliases (*name) multiply?"
            self.faults.append(Fault("", what, file))
            self.data = None
        except RecursionError:
            self.faults.append(Fault("", "no valid YAML: nested too deeply", file))
            self.data = None
        except yaml.YAMLError:
            self.faults.append(Fault("", "no valid YAML: a character that YAML does not allow", file))
            self.data = None
        except Exception:  # `!!bool x`, a day that is none, a number of 5,000 digits
            self._misfits(loader, node)
            self.data = None
        finally:
            loader.dispose()

    def _misfits(self, loader: Any, root: Any) -> None:
        """Tells of every value that is not what its tag says, and of the file where none is found."""
        import yaml

        before, waiting, seen = len(self.faults), [root], set[int]()
        while waiting:
            node = waiting.pop()
            if id(node) in seen:  # an alias
                continue
            seen.add(id(node))
            if isinstance(node, yaml.ScalarNode):
                try:
                    loader.yaml_constructors.get(node.tag, loader.yaml_constructors[None])(loader, node)
                except Exception:
                    what = f"no valid YAML: not what {node.tag.replace('tag:yaml.org,2002:', '!!')} stands for"
                    self.faults.append(Fault("", what, self.file, node.start_mark.line + 1))
            else:
                waiting += [n for item in node.value for n in (item if isinstance(item, tuple) else (item,))]
        if len(self.faults) == before:
            self.faults.append(Fault("", "no valid YAML: its values cannot be made", self.file, 1))

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
        if len(self._lines) > self._most:
            raise _TooManyError
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

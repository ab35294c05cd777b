"""YAML with line numbers, so that every fault of a rule file names its line."""

from __future__ import annotations

from typing import Any

import yaml

from ...pipeline.errors import Fault
from ...pipeline.storage.yaml_source import MOST_VALUES, bottomless

KeyPath = tuple[str | int, ...]
"""Keys and list indexes from the top of a YAML document to a value."""
_TAG_PREFIX = "tag:yaml.org,2002:"


class _TooManyError(Exception):
    """The document has more values than can be processed."""


class MarkedYaml:
    """A YAML document as plain data, with the line of each value.

    `data` is the content; `faults` are errors in the YAML itself: syntax, duplicate keys, keys that are not strings.
    Aliases, anchors and merge keys work as in YAML; tags other than YAML's own are faults.
    """

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.faults: list[Fault] = []
        self.data: Any = None
        self._lines: dict[KeyPath, int] = {}
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
            self._invalid(problem or "", mark.line + 1 if mark else 1)
        except _TooManyError:
            self._invalid(f"more than {self._most} values: do aliases (*name) multiply?")
        except RecursionError:
            self._invalid("nested too deeply")
        except yaml.YAMLError:
            self._invalid("a character that YAML does not allow")
        except Exception:  # `!!bool x`, a day that does not exist, a number of 5,000 digits
            self._report_misfits(loader, node)
        finally:
            loader.dispose()

    def _invalid(self, problem: str, line: int = 0) -> None:
        self.faults.append(Fault("", f"invalid YAML{': ' if problem else ''}{problem}", self.file, line))

    def _report_misfits(self, loader: Any, root: Any) -> None:
        """Report every value that does not fit its tag, or the file if there is none."""
        faults, waiting, seen = len(self.faults), [root], set[int]()
        while waiting:
            node = waiting.pop()
            if id(node) in seen:  # an alias
                continue
            seen.add(id(node))
            if isinstance(node, yaml.ScalarNode):
                try:
                    loader.yaml_constructors.get(node.tag, loader.yaml_constructors[None])(loader, node)
                except Exception:
                    self._invalid(f"not a valid {node.tag.replace(_TAG_PREFIX, '!!')}", node.start_mark.line + 1)
            else:
                waiting += [n for item in node.value for n in (item if isinstance(item, tuple) else (item,))]
        if len(self.faults) == faults:
            self._invalid("its values cannot be constructed", 1)

    def line(self, path: KeyPath) -> int:
        """Return the line (from 1) of the value at `path`, or of the nearest value around it."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)

    def _walk(self, loader: Any, node: Any, path: KeyPath) -> None:
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
                name, line = key.value if isinstance(key, yaml.ScalarNode) else "", key.start_mark.line + 1
                if name and (*path, name) in self._lines and key.tag != f"{_TAG_PREFIX}merge":
                    what = f"key is given twice (first in line {self._lines[(*path, name)]})"
                    self.faults.append(Fault(name, what, self.file, line))
                self._walk(loader, value, (*path, name))
                self._lines[(*path, name)] = line

"""What can go wrong with a document: one root, so that callers can catch everything of caspipe's by one name."""


class CaspipeError(Exception):
    """Root of every error caspipe raises on purpose. Its message never holds text of a document."""


class CasError(CaspipeError, ValueError):
    """A view, type or annotation is not what the operation needs."""


class TypeSystemError(CaspipeError, ValueError):
    """A type system is malformed, or two of them contradict each other."""


class FormatError(CaspipeError, ValueError):
    """A file is not what its format says. Names file, line and column where they are known."""

"""Annotators, trainers and estimators."""

WITHOUT_COMPONENTS = ("estimators",)
"""Packages below this one that declare no component: the registry does not import them. They need scikit-learn."""

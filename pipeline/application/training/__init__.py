"""Training pipelines behind `caspipe train`."""

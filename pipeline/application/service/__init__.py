"""`caspipe serve`: a pipeline behind HTTP, and INCEpTION's external recommender. Needs the extra `server`."""

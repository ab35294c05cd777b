"""The release scanner: searches every byte below `release/` for every value that was masked, before a run is finished."""

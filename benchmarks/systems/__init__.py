"""The comparison of all systems on the same open corpora: what is compared, on what, how it is measured, and the page of it."""

"""Resolve overlapping candidates into disjoint PHI: source priority, strategies, votes, remainders, merging."""

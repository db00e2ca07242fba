"""Pools: which documents to judge next, and when no further judgment can change which of two runs is better."""

"""Checking data: what is wrong with judgments and runs before anything is scored."""

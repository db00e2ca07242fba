"""Runs that are Spark DataFrames."""

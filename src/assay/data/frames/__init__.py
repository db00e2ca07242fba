"""Frames of any library: their columns for the kernel, and their rows."""

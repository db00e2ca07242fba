"""The command `assay`, one sub-command a file."""

"""What is run by hand needs tools that the tests do not install."""

collect_ignore = ["judged_peers.py"]

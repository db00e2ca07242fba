"""The network: the HTTP client, its time limits and retries, and secrets."""

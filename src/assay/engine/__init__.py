"""Where ranking runs: `local` ranks with the kernel."""

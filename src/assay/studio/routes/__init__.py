"""The addresses of the studio: JSON under `/api`, one file per subject, and the pages."""

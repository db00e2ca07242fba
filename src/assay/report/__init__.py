"""The self-contained HTML report: `content.py` is what it shows, `page.py` the file, `static/` what runs in it."""

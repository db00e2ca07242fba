"""The studio: a web application where people judge, and where every number follows their votes."""

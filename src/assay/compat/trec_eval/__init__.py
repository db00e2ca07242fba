"""The drop-in for trec_eval 10."""

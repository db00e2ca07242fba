"""LLM judges: who is asked, how replies are kept, and what is made of them."""

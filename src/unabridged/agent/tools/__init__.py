"""The tools that look at files and change them."""

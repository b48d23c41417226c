"""`unabridged models`: what is known of models, from where, and how to get one."""

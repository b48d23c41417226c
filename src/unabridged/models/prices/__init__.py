"""What model calls cost, with and without a prompt cache: rates, price list, cache rules."""

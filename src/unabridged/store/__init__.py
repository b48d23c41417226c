"""Where logs are kept. `jsonl` is the documented file form: one line for each entry."""

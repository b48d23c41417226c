"""OpenAI Chat Completions, and what speaks it: https://platform.openai.com/docs/api-reference/chat."""

"""Past conversations for any client that speaks the Model Context Protocol: `unabridged mcp`, read-only."""

"""What is asked over HTTP. Each module gives a router; none of them holds policy logic."""

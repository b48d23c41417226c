"""What people who run agents complain of, each with the smallest conversation that shows it."""

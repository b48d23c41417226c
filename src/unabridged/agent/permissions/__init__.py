"""Who may do what: rules, modes, and a person who is asked where they leave it open."""

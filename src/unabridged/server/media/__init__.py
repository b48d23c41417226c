"""Media of conversations: taken in as uploads or fetched from a URL, known by their bytes, named by their digest."""

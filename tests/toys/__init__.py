"""Small games that run through the general machinery and keep it honest."""

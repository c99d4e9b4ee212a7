"""What is handed out: the wheel."""

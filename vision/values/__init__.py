"""What passes between the rooms: frozen values that import nothing."""

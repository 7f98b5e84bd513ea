"""What is known before the photo: card faces, print sheets, the template bank."""

"""What a program tells of itself: as text, as a picture, as numbers."""

"""Score steps: each module labels the answers of one benchmark."""

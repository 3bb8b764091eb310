"""How an image leaves one store and enters another: as files, or through a registry; what comes is never believed."""

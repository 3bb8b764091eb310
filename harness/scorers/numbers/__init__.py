"""Array statistics that steps and standalone analyses share."""

"""The gateway: an HTTP proxy between steps and the providers of models, which records and replays answers."""

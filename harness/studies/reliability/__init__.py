"""The study `reliability` (Zhou et al., Nature 2024): scaled-up, shaped-up models become less reliable."""

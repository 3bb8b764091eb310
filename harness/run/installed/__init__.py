"""What is installed: packages, their bytes and bytecode, and what this machine lacks."""

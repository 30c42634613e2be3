"""The paper's claims, measured: a command each."""

"""The paper's claims and our own questions, measured: one command each."""

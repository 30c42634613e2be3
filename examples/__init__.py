"""Programs to try Ocelot with."""

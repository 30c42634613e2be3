"""Speed, memory and quality of Ocelot beside its peers; `README.md` says how to run them."""

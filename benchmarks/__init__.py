"""Speed, memory and quality of Ocelot compared with its peers; `README.md` says how to run them."""

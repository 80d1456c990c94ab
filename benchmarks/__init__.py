"""Speed, memory and quality of quire beside its peers: ``python -m benchmarks --list``."""

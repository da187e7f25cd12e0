"""The commands of ``python -m fpanon_core``, each over the public functions of the package."""

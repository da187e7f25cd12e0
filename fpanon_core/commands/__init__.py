"""The commands of ``fpanon``, each over the public functions of the package."""

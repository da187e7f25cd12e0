"""The commands of ``fpanon``, each built on the public functions of the package."""

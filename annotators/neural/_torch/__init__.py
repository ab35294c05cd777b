"""The modules of the networks. Importing this package imports PyTorch; nothing outside annotators/neural does so."""

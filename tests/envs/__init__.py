"""Tests of the environments, with Porta Nigra and with Kuhn poker."""

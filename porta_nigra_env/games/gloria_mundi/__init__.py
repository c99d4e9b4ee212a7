"""Gloria Mundi (Abacusspiele): rules, components, texts, players and drawing."""

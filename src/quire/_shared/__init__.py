"""The pantry: what several families of models need, each thing behind one door."""

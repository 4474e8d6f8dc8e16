"""Tables to try things on."""

from rarewood.datasets._planted_rules import PlantedCondition, PlantedRule, PlantedRules, make_planted_rules

__all__ = ["PlantedCondition", "PlantedRule", "PlantedRules", "make_planted_rules"]

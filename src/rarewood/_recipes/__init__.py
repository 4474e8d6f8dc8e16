"""The methods of the literature by their names."""

from rarewood._recipes._make import make, recipes
from rarewood._recipes._others import OTHERS, OtherClassifier
from rarewood._recipes._recipe import Recipe, Recipes
from rarewood._recipes._regression import Selected, columns_for_regression
from rarewood._recipes._with_patterns import SUFFIX, WithPatterns

__all__ = [
    "OTHERS",
    "SUFFIX",
    "OtherClassifier",
    "Recipe",
    "Recipes",
    "Selected",
    "WithPatterns",
    "columns_for_regression",
    "make",
    "recipes",
]

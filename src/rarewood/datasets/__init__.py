"""Tables to try things on: by name from several sources, from files, and generated."""

from rarewood.datasets._catalogue import Catalogue, Entry, catalogue, load
from rarewood.datasets._dataset import Dataset
from rarewood.datasets._gaussians import make_four_gaussians
from rarewood.datasets._planted_rules import PlantedCondition, PlantedRule, PlantedRules, make_planted_rules
from rarewood.datasets._readers import read_file
from rarewood.datasets._workloads import Workload, make_workload, workload_names
from rarewood.datasets._year import PaymentYear, make_payment_year

__all__ = [
    "Catalogue",
    "Dataset",
    "Entry",
    "PaymentYear",
    "PlantedCondition",
    "PlantedRule",
    "PlantedRules",
    "Workload",
    "catalogue",
    "load",
    "make_four_gaussians",
    "make_payment_year",
    "make_planted_rules",
    "make_workload",
    "read_file",
    "workload_names",
]

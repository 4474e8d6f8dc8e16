"""The papers, one declaration each."""

from rarewood.reproduction._definition import Paper
from rarewood.reproduction.papers.beat import BEAT
from rarewood.reproduction.papers.bias import BIAS
from rarewood.reproduction.papers.hedex import HEDEX
from rarewood.reproduction.papers.ihd import IHD
from rarewood.reproduction.papers.mc_hddt import MC_HDDT

PAPERS: dict[str, Paper] = {paper.name: paper for paper in (HEDEX, BEAT, MC_HDDT, BIAS, IHD)}

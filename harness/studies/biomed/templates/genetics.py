"""The answerers of the genetic templates by template id."""

from __future__ import annotations

from collections.abc import Mapping

from harness.studies.biomed.templates import gwas_genes, gwas_snps, positions, smr_genes, smr_top
from harness.studies.biomed.templates.pair import Answerer

ANSWERERS: Mapping[str, Answerer] = {
    **gwas_snps.ANSWERERS,
    **gwas_genes.ANSWERERS,
    **positions.ANSWERERS,
    **smr_genes.ANSWERERS,
    **smr_top.ANSWERERS,
}

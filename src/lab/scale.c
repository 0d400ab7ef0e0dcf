#include "lab/scale.h"

#include "lab/experiments.h"

bool lab_scale(Lab *lab, Error *error)
{
    return scale_entropies(lab, error) && scale_lemma(lab, error) && scale_batches(lab, error);
}

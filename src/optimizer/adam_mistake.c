#include "optimizer/adam_mistake.h"

void adam_update_by_tensor(Adam *adam, Parameters *parameters, const Parameters *gradient, double learning_rate)
{
    for (int i = 0; i < TENSOR_COUNT; i++) {
        Parameters alone = *parameters; /* a view in which no other tensor is trained */
        for (int k = 0; k < TENSOR_COUNT; k++)
            alone.tensors[k].trained = k == i && parameters->tensors[k].trained;
        if (alone.tensors[i].trained)
            adam_update(adam, &alone, gradient, 0, learning_rate, 1);
    }
}

/** @file Words for every field of the experiment and for its choices. */
import type { FieldKey } from '../keys.ts';
import type { Message } from '../message.ts';
import { cluster } from './cluster.ts';
import { communication } from './communication.ts';
import { mistakes } from './mistakes.ts';
import { precision } from './precision.ts';
import { recovery } from './recovery.ts';
import { server } from './server.ts';

export const fields = {
  ...cluster,
  ...precision,
  ...recovery,
  ...communication,
  ...mistakes,
  ...server,
  'field.data.name.label': 'Data',
  'field.data.name.line': 'What the replicas learn from.',
  'field.data.name.help':
    'Handwritten digits, points in the plane, or a novel read a character at a time. Every replica trains on its own shard of the same data.',
  'field.data.size.label': 'Data size',
  'field.data.size.line': '12,000 digits, or all 60,000.',
  'field.data.size.help':
    'small has 12,000 training and 2,000 test digits, full has 60,000 and 10,000. The full set takes longer to load and five times as many steps an epoch.',
  'field.data.augment.label': 'Augmentation',
  'field.data.augment.line': 'Random changes of the training images.',
  'field.data.augment.help':
    'shift moves each training image by up to two pixels each way, anew in every step and on every rank. Test images stay as they are.',
  'field.data.samples.label': 'Points',
  'field.data.samples.line': 'Training points; as many again test the model.',
  'field.data.samples.help':
    'Points are drawn from the seed, half of them in each class. The test set has as many points and shares none with the training set.',
  'field.data.noise.label': 'Noise',
  'field.data.noise.line': 'How far points stray from their shape.',
  'field.data.noise.help':
    'Standard deviation of the normal noise added to both coordinates; the shapes span about -1 to 1. With much noise the classes overlap and no model is right everywhere.',
  'field.model.kind.label': 'Model',
  'field.model.kind.line': 'What each replica holds a copy of.',
  'field.model.kind.help':
    'softmax and mlp read digits and points, cnn reads digits, transformer reads text. All replicas hold the same weights after every step.',
  'field.model.hidden.label': 'Hidden layers',
  'field.model.hidden.line': 'Neurons in each hidden layer.',
  'field.model.hidden.help':
    'One number a layer, from input to output. Wider layers have more parameters, so every step sends more bytes around the ring.',
  'field.model.activation.label': 'Activation',
  'field.model.activation.line': 'The non-linearity after each hidden layer.',
  'field.model.activation.help':
    'Without it the layers would collapse into one linear map. relu is the cheapest, tanh draws smooth boundaries, gelu is the choice of transformers.',
  'field.model.channels.label': 'Channels',
  'field.model.channels.line': 'Filters of the two convolutions.',
  'field.model.channels.help':
    'Two numbers, one for each 3 x 3 convolution. Convolutions reuse few weights at many places: much computing, few bytes to send.',
  'field.model.dense.label': 'Dense layer',
  'field.model.dense.line': 'Neurons between the convolutions and the output.',
  'field.model.dense.help':
    'This layer holds most of the parameters of the network. Make it smaller to send less in every step.',
  'field.model.norm.label': 'Batch norm',
  'field.model.norm.line': 'Normalise what the convolutions give, over the batch.',
  'field.model.norm.help':
    'batch takes mean and variance of the own batch on each rank, as PyTorch does by default: with few samples a rank they are rough. syncBatch takes those of all ranks’ batches, as SyncBatchNorm does, for two more exchanges a layer in every step.',
  'field.model.width.label': 'Width',
  'field.model.width.line': 'Numbers that stand for one character.',
  'field.model.width.help':
    'The length of the vector that passes from block to block. Parameters grow with its square.',
  'field.model.heads.label': 'Heads',
  'field.model.heads.line': 'Attention heads; they must divide the width.',
  'field.model.heads.help':
    'Every head looks back at the text in its own way, with width / heads numbers a character. More heads cost no more parameters.',
  'field.model.depth.label': 'Depth',
  'field.model.depth.line': 'Transformer blocks, one after another.',
  'field.model.depth.help':
    'Each block is attention followed by a small MLP. Time and parameters grow in proportion.',
  'field.model.context.label': 'Context',
  'field.model.context.line': 'Characters the model sees at once.',
  'field.model.context.help':
    'The model predicts each character from those before it in this window. One sample is one window, so a batch of 16 with context 32 has 512 characters.',
  'field.replicas.label': 'Replicas',
  'field.replicas.line': 'Workers that train together, N.',
  'field.replicas.help':
    'Each is a Web Worker with its own copy of the model and its own shard of the data. More replicas than processor cores are allowed and show the method, not the speed.',
  'field.batchPerRank.label': 'Batch a rank',
  'field.batchPerRank.line': 'Samples each replica computes in a step.',
  'field.batchPerRank.help':
    'The gradient is the mean over replicas x batch samples, the effective batch. Larger batches mean fewer, steadier steps an epoch.',
  'field.duration.unit.label': 'Length in',
  'field.duration.unit.line': 'Count epochs or steps.',
  'field.duration.unit.help':
    'An epoch is one pass of all replicas together over the training data. A step is one update of the weights.',
  'field.duration.count.label': 'Length',
  'field.duration.count.line': 'How many epochs or steps to train.',
  'field.duration.count.help':
    'The run ends after so many and evaluates once more. You can stop it at any time before.',
  'field.optimizer.kind.label': 'Optimizer',
  'field.optimizer.kind.line': 'How a gradient becomes an update.',
  'field.optimizer.kind.help':
    'Every replica applies the same averaged gradient with the same optimizer, so the weights stay equal. sgd and lars keep one number a parameter, the others two. lars and lamb give each layer a rate of its own, for large batches.',
  'field.optimizer.momentum.label': 'Momentum',
  'field.optimizer.momentum.line': 'How much of the last update carries on.',
  'field.optimizer.momentum.help':
    'The update is a sum of past gradients, each weighted by this number once more. 0.9 averages about ten steps; 0 is plain gradient descent.',
  'field.optimizer.nesterov.label': 'Nesterov',
  'field.optimizer.nesterov.line': 'Look ahead along the momentum.',
  'field.optimizer.nesterov.help':
    'The update uses the gradient plus the momentum it will have, as in PyTorch. It needs a momentum above 0.',
  'field.optimizer.beta1.label': 'Beta 1',
  'field.optimizer.beta1.line': 'Memory of the mean gradient.',
  'field.optimizer.beta1.help':
    'The running mean of gradients keeps this share of itself in every step. 0.9 remembers about ten steps.',
  'field.optimizer.beta2.label': 'Beta 2',
  'field.optimizer.beta2.line': 'Memory of the squared gradient.',
  'field.optimizer.beta2.help':
    'The running mean of squared gradients keeps this share of itself and scales the update. Short runs learn faster with 0.98 than with 0.999.',
  'field.optimizer.epsilon.label': 'Epsilon',
  'field.optimizer.epsilon.line': 'Keeps the division from blowing up.',
  'field.optimizer.epsilon.help':
    'Added to the root of the squared gradient before dividing by it. Larger values make the first steps more careful.',
  'field.optimizer.weightDecay.label': 'Weight decay',
  'field.optimizer.weightDecay.line': 'Pulls the weights towards zero.',
  'field.optimizer.weightDecay.help':
    'sgd and adam add this multiple of the weights to the gradient; adamw shrinks the weights directly. It holds back over-fitting.',
  'field.learningRate.base.label': 'Learning rate',
  'field.learningRate.base.line': 'Size of an update.',
  'field.learningRate.base.help':
    'The update is multiplied by this number. Too small and nothing happens, too large and the loss explodes; a larger effective batch bears a larger rate.',
  'field.learningRate.warmupSteps.label': 'Warm-up',
  'field.learningRate.warmupSteps.line': 'Steps until the full learning rate.',
  'field.learningRate.warmupSteps.help':
    'The rate rises in a straight line over these steps. Large batches and transformers need it, because their first gradients are misleading.',
  'field.learningRate.decay.label': 'Decay',
  'field.learningRate.decay.line': 'What the rate does after the warm-up.',
  'field.learningRate.decay.help':
    'none keeps it; cosine lowers it to zero by the end of the run; step drops it at the milestones. Falling rates settle the weights and usually give a lower final loss.',
  'field.buckets.rule.label': 'Grouping',
  'field.buckets.rule.line': 'Which gradients are reduced together.',
  'field.buckets.rule.help':
    'ddp makes PyTorch’s buckets: one for everything in the first step, then by size. horovod fuses what is ready up to a threshold, in every step alike; its cycle time belongs to the cluster clock, so here all gradients count as ready in one cycle.',
  'field.buckets.fusionMiB.label': 'Fusion threshold',
  'field.buckets.fusionMiB.line': 'MiB that are fused at most; 0 is one collective a tensor.',
  'field.buckets.fusionMiB.help':
    'Horovod joins tensors while their sum stays within this size; a tensor that is larger goes alone. Its default is 128 MiB.',
  'field.buckets.firstMiB.label': 'First bucket',
  'field.buckets.firstMiB.line': 'MiB at which the first bucket is full.',
  'field.buckets.firstMiB.help':
    'Gradients are gathered into buckets in backward order, and each full bucket is sent at once. The first is small so that sending starts early; PyTorch takes 1 MiB.',
  'field.buckets.capMiB.label': 'Bucket size',
  'field.buckets.capMiB.line': 'MiB at which a later bucket is full.',
  'field.buckets.capMiB.help':
    'A bucket is closed once it reaches this size, so it can be larger. Many small buckets overlap better with backward but pay more latency; PyTorch takes 25 MiB.',
  'field.transport.label': 'Transport',
  'field.transport.line': 'How bytes pass between the workers.',
  'field.transport.help':
    'shared uses one memory for all workers and needs an isolated page; ports sends messages and works everywhere. auto takes shared where it can; the results are the same to the bit.',
  'field.backend.label': 'Backend',
  'field.backend.line': 'What computes the gradients.',
  'field.backend.help':
    'auto times one step on each usable backend and takes the fastest. fused is plain code for softmax and mlp; the others are TensorFlow.js.',
  'field.seed.label': 'Seed',
  'field.seed.line': 'Names all random numbers of the run.',
  'field.seed.help':
    'Weights, points and the order of samples all follow from it. The same experiment with the same seed and backend repeats to the bit.',
  'field.evalEvery.label': 'Evaluate every',
  'field.evalEvery.line': 'Steps between two tests of the model.',
  'field.evalEvery.help':
    'The replicas share the test set among themselves and report loss and accuracy. Frequent tests slow the run down but change nothing in it.',
  'field.logEvery.label': 'Record every',
  'field.logEvery.line': 'Steps between two records of the log.',
  'field.logEvery.help':
    'Every step is computed and checked, but only every so many are written down. Raise it for runs of very many small steps.',

  'choice.data.name.mnist': 'Digits (MNIST)',
  'choice.data.name.spirals': 'Spirals',
  'choice.data.name.moons': 'Moons',
  'choice.data.name.circles': 'Circles',
  'choice.data.name.xor': 'XOR',
  'choice.data.name.moby-dick': 'Moby-Dick',
  'choice.data.size.small': 'Small',
  'choice.data.size.full': 'Full',
  'choice.data.augment.none': 'None',
  'choice.data.augment.shift': 'Shift',
  'choice.buckets.rule.ddp': 'DDP buckets',
  'choice.buckets.rule.horovod': 'Horovod fusion',
  'choice.model.kind.softmax': 'Softmax regression',
  'choice.model.kind.mlp': 'MLP',
  'choice.model.kind.cnn': 'CNN',
  'choice.model.kind.transformer': 'Transformer',
  'choice.model.norm.none': 'None',
  'choice.model.norm.batch': 'Own batch',
  'choice.model.norm.syncBatch': 'All batches',
  'choice.model.activation.relu': 'ReLU',
  'choice.model.activation.tanh': 'tanh',
  'choice.model.activation.gelu': 'GELU',
  'choice.duration.unit.epochs': 'Epochs',
  'choice.duration.unit.steps': 'Steps',
  'choice.optimizer.kind.sgd': 'SGD',
  'choice.optimizer.kind.adam': 'Adam',
  'choice.optimizer.kind.adamw': 'AdamW',
  'choice.optimizer.kind.lamb': 'LAMB',
  'choice.optimizer.kind.lars': 'LARS',
  'choice.learningRate.decay.none': 'Constant',
  'choice.learningRate.decay.cosine': 'Cosine',
  'choice.learningRate.decay.step': 'Steps',
  'choice.transport.auto': 'Automatic',
  'choice.transport.shared': 'Shared memory',
  'choice.transport.ports': 'Message ports',
  'choice.backend.auto': 'Automatic',
  'choice.backend.fused': 'Fused loops',
  'choice.backend.webgpu': 'WebGPU',
  'choice.backend.webgl': 'WebGL',
  'choice.backend.wasm': 'WebAssembly',
  'choice.backend.cpu': 'Plain JavaScript',
} as const satisfies Readonly<Record<FieldKey, Message>>;

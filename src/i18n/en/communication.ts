/** @file Words for collectives, compression, synchronisation and the classic mistakes. */
import type { Message } from '../message.ts';

export const communication = {
  'field.communication.collective.label': 'All-reduce',
  'field.communication.collective.line': 'How gradients are added up over the ranks.',
  'field.communication.collective.help':
    'ring sends the fewest bytes a rank, trees need fewer steps one after the other, a star puts all traffic on rank 0. All give every rank the same bits; the order of the sums differs, and with it the last digits.',
  'field.communication.ranksPerNode.label': 'Ranks a node',
  'field.communication.ranksPerNode.line': 'Neighbours that reduce among themselves first.',
  'field.communication.ranksPerNode.help':
    'Ranks of one node scatter and gather among themselves, and only a part of the vector goes between nodes, as in Horovod. It must divide the replicas.',
  'field.communication.combine.label': 'Combine by',
  'field.communication.combine.line': 'What the ranks make of their gradients.',
  'field.communication.combine.help':
    'mean averages them. adasum is Horovod’s adaptive sum, tensor by tensor: parallel gradients are averaged, orthogonal ones added, so the rate need not grow with N. It travels by halving-doubling, with three sums more a tensor.',
  'field.measure.noiseScale.label': 'Noise scale',
  'field.measure.noiseScale.line': 'Estimate which batch is worth its samples.',
  'field.measure.noiseScale.help':
    'Compares the norm of each rank’s own gradient with that of the mean: the more they differ, the noisier the gradient and the larger the batch that pays. It sends one number more a rank and a step.',
  'field.compression.kind.label': 'Compression',
  'field.compression.kind.line': 'What is sent instead of the whole gradient.',
  'field.compression.kind.help':
    'Where DDP has its communication hook. Casts and PowerSGD are added up on the way; the others are gathered around the ring, since what one rank sends cannot be added to what another does.',
  'field.compression.format.label': 'Wire format',
  'field.compression.format.line': 'Sixteen bits a number on the way.',
  'field.compression.format.help':
    'Numbers are sent and summed in this format, as DDP’s fp16 and bf16 hooks do. fp16 has more digits and overflows beyond 65504, bf16 has the range of fp32.',
  'field.compression.ratio.label': 'Kept',
  'field.compression.ratio.line': 'Share of the gradient that is sent in a step.',
  'field.compression.ratio.help':
    '0.01 sends one number in a hundred. With N ranks gathering, index and value together pay off below a share of 1 / N.',
  'field.compression.scope.label': 'Chosen in',
  'field.compression.scope.line': 'Choose within each bucket, or in the whole gradient.',
  'field.compression.scope.help':
    'bucket keeps the same share of every bucket and can start before backward has ended. global keeps the largest wherever they are.',
  'field.compression.errorFeedback.label': 'Error feedback',
  'field.compression.errorFeedback.line': 'Add what was not sent to the next gradient.',
  'field.compression.errorFeedback.help':
    'Each rank remembers what it kept back, so nothing is lost, only late. Without it small entries never arrive, and training stalls.',
  'field.compression.scaled.label': 'Scaled',
  'field.compression.scaled.line': 'Multiply what is sent by d / k.',
  'field.compression.scaled.help':
    'The sent values then stand for the others too: right on average, but far noisier. It excludes error feedback.',
  'field.compression.momentum.label': 'DGC momentum',
  'field.compression.momentum.line': 'Momentum before the choice, on every rank.',
  'field.compression.momentum.help':
    'DGC gathers momentum before it chooses, so that late values arrive with theirs. The optimizer behind it must have none.',
  'field.compression.nesterov.label': 'DGC Nesterov',
  'field.compression.nesterov.line': 'Look ahead along that momentum.',
  'field.compression.nesterov.help':
    'The momentum of DGC in Nesterov’s form, as its authors’ code offers it. It changes what is gathered, not what is sent.',
  'field.compression.clipNorm.label': 'DGC clipping',
  'field.compression.clipNorm.line': 'Norm of the sum of all ranks; 0 is off.',
  'field.compression.clipNorm.help':
    'Every rank clips its own gradient at this norm divided by the root of N, before it is added to what was kept back.',
  'field.compression.warmUp.label': 'Sparsity warm-up',
  'field.compression.warmUp.line': 'Send more in the first epochs.',
  'field.compression.warmUp.help':
    'paper sends 25, 6.25, 1.56 and 0.4 percent in the first four epochs; code follows the published code, which takes five. Early gradients change too fast to be kept back.',
  'field.compression.levels.label': 'Levels',
  'field.compression.levels.line': 'Steps between zero and the norm.',
  'field.compression.levels.help':
    'QSGD rounds each number to one of these, up or down at random, so that it is right on average. More levels, more bits, less noise.',
  'field.compression.bucketSize.label': 'Shared norm',
  'field.compression.bucketSize.line': 'Numbers that share one norm; 0 is all of them.',
  'field.compression.bucketSize.help':
    'Smaller groups are rounded more finely and send one norm more each. The paper takes 512.',
  'field.compression.coding.label': 'Coding',
  'field.compression.coding.line': 'Fixed fields, or short codes for small levels.',
  'field.compression.coding.help':
    'fixed gives every number the same bits. elias gives small levels fewer, so the bytes depend on the gradient.',
  'field.compression.clipDeviations.label': 'Clipped at',
  'field.compression.clipDeviations.line': 'Standard deviations; 0 is off.',
  'field.compression.clipDeviations.help':
    'TernGrad’s step is the largest magnitude, so one outlier makes all others noise. The paper clips at 2.5.',
  'field.compression.rank.label': 'Matrix rank',
  'field.compression.rank.line': 'Columns of the two factors that are sent.',
  'field.compression.rank.help':
    'A gradient of n by m becomes (n + m) times this many numbers. PyTorch starts at 1.',
  'field.compression.startStep.label': 'Starts at',
  'field.compression.startStep.line': 'Plain all-reduce before this step.',
  'field.compression.startStep.help':
    'Early gradients have no stable directions yet. At least 2, since DDP rebuilds its buckets after the first step.',
  'field.compression.minCompressionRate.label': 'At least',
  'field.compression.minCompressionRate.line': 'Times smaller, or a matrix travels whole.',
  'field.compression.minCompressionRate.help':
    'A matrix is factored only where that makes it more than this many times smaller. PyTorch takes 2.',
  'field.compression.warmStart.label': 'Warm start',
  'field.compression.warmStart.line': 'Begin from the last step’s factor.',
  'field.compression.warmStart.help':
    'One step of power iteration a training step then follows the gradient’s main directions. Without it every step begins with random ones.',
  'field.sync.kind.label': 'Agreement',
  'field.sync.kind.line': 'What the ranks agree on, and when.',
  'field.sync.kind.help':
    'allReduce averages gradients in every step; backup does so without the last ranks. localSgd and its kin average weights now and then: far fewer bytes. async and ssp have a parameter server on rank 0, and a step is one update of it.',
  'field.sync.period.label': 'Every',
  'field.sync.period.line': 'Steps between two averages of the weights.',
  'field.sync.period.help':
    'The longer, the fewer bytes and the further the ranks drift apart. After the last step they always average.',
  'field.sync.warmupSteps.label': 'First in step',
  'field.sync.warmupSteps.line': 'Steps with averaged gradients before.',
  'field.sync.warmupSteps.help':
    'Post-local SGD begins as plain data parallel, while gradients are large, and averages weights only afterwards.',
  'field.sync.outerRate.label': 'Outer rate',
  'field.sync.outerRate.line': 'Step from the old weights to the mean.',
  'field.sync.outerRate.help':
    'DiLoCo takes the way the ranks went on average for a gradient and makes one step along it. 1 without momentum is local SGD; the paper takes 0.7.',
  'field.sync.outerMomentum.label': 'Outer momentum',
  'field.sync.outerMomentum.line': 'Nesterov momentum of that step.',
  'field.sync.outerMomentum.help': 'Carries the way of earlier rounds on. The paper takes 0.9.',
  'field.accumulation.microBatches.label': 'Micro-batches',
  'field.accumulation.microBatches.line': 'Parts that a batch is computed in.',
  'field.accumulation.microBatches.help':
    'Their gradients are added up, weighted by their size, so the update is that of the whole batch. It saves memory, not time.',
  'field.accumulation.noSync.label': 'no_sync',
  'field.accumulation.noSync.line': 'Reduce once a step, not once a part.',
  'field.accumulation.noSync.help':
    'With it gradients are added up on every rank first, as under DDP’s no_sync. Without it every part is reduced: the same update for as many times the bytes.',
  'field.clipNorm.label': 'Clipping',
  'field.clipNorm.line': 'Largest norm of the gradient; 0 is off.',
  'field.clipNorm.help':
    'The averaged gradient is scaled down to this norm where it exceeds it, as by clip_grad_norm_. It tames single wild steps.',
  'field.optimizer.trustCoefficient.label': 'Trust',
  'field.optimizer.trustCoefficient.line': 'Share of a layer’s weights that a step may move.',
  'field.optimizer.trustCoefficient.help':
    'LARS gives each layer a rate of its own: this number times the norm of the weights over that of the gradient. It holds large batches together.',
  'field.learningRate.milestones.label': 'Milestones',
  'field.learningRate.milestones.line': 'Steps at which the rate drops.',
  'field.learningRate.milestones.help':
    'At each of these steps the rate is multiplied by the factor once more. They ascend; one beyond the end of the run does nothing.',
  'field.learningRate.factor.label': 'Drop to',
  'field.learningRate.factor.line': 'What is left of the rate at a milestone.',
  'field.learningRate.factor.help':
    '0.1 is usual: the loss falls at once where the rate drops. 1 changes nothing.',

  'choice.communication.collective.ring': 'Ring',
  'choice.communication.collective.halving-doubling': 'Halving-doubling',
  'choice.communication.collective.binary-tree': 'Tree',
  'choice.communication.collective.double-binary-tree': 'Double tree',
  'choice.communication.collective.star': 'Star',
  'choice.communication.collective.hierarchical': 'Hierarchical',
  'choice.communication.combine.mean': 'Mean',
  'choice.communication.combine.adasum': 'Adasum',
  'choice.compression.kind.none': 'None',
  'choice.compression.kind.cast': '16 bits',
  'choice.compression.kind.topK': 'Top-k',
  'choice.compression.kind.randomK': 'Random-k',
  'choice.compression.kind.dgc': 'DGC',
  'choice.compression.kind.qsgd': 'QSGD',
  'choice.compression.kind.ternGrad': 'TernGrad',
  'choice.compression.kind.signSgd': 'signSGD',
  'choice.compression.kind.efSignSgd': 'EF-signSGD',
  'choice.compression.kind.oneBit': '1-bit',
  'choice.compression.kind.powerSgd': 'PowerSGD',
  'choice.compression.format.fp16': 'fp16',
  'choice.compression.format.bf16': 'bf16',
  'choice.compression.scope.bucket': 'Bucket',
  'choice.compression.scope.global': 'Whole',
  'choice.compression.warmUp.none': 'None',
  'choice.compression.warmUp.paper': 'Paper',
  'choice.compression.warmUp.code': 'Code',
  'choice.compression.coding.fixed': 'Fixed',
  'choice.compression.coding.elias': 'Elias',
  'choice.sync.kind.allReduce': 'Every step',
  'choice.sync.kind.localSgd': 'Local SGD',
  'choice.sync.kind.postLocalSgd': 'Post-local',
  'choice.sync.kind.diloco': 'DiLoCo',
} as const satisfies Readonly<Record<string, Message>>;

/** @file Faults of an experiment, presets, groups and units. */
import type { ExperimentKey } from '../keys.ts';
import type { Message } from '../message.ts';
import { recoveryMessages } from './recovery.ts';
import { serverMessages } from './server.ts';

export const messages = {
  ...serverMessages,
  'problem.integer': 'A whole number from {minimum} to {maximum} is allowed.',
  'problem.number': 'A number from {minimum} to {maximum} is allowed.',
  'problem.choice': 'Allowed: {allowed}.',
  'problem.switch': 'true or false is allowed.',
  'problem.list':
    'A list of {minimumLength} to {maximumLength} whole numbers from {minimum} to {maximum} is allowed.',
  'problem.section': 'An object with named fields is allowed here.',
  'problem.unknownField': 'There is no such field. Allowed here: {allowed}.',
  'problem.noSuchField': 'There is no such field where {condition}. Allowed here: {allowed}.',
  'problem.version':
    'Only version {version} is understood. Leave the field out, or update the page.',
  'problem.tooBig':
    'An experiment has at most {depth} levels, {fields} fields and {characters} characters a text. Remove what does not belong to it.',
  'problem.notJson': 'This is not JSON: {reason}',
  'problem.batchOverShard':
    'Each of the {replicas} replicas has {shard} samples, so a batch of at most {shard} is allowed. Take a smaller batch, fewer replicas or more data.',
  'problem.headsDivideWidth': 'The heads must divide the width, {width}. Allowed: {allowed}.',
  'problem.modelNotForData': 'This model cannot read {data}. Allowed: {allowed}.',
  'problem.fusedModel': 'The fused backend trains {allowed} only. Take another backend, or auto.',
  'problem.warmupOverRun':
    'The run has {steps} steps, so a warm-up of at most {steps} is allowed. Shorten it or train longer.',
  'problem.nesterovNeedsMomentum':
    'Nesterov needs momentum above 0. Raise the momentum or switch Nesterov off.',
  'problem.tooManySteps':
    'That makes {steps} steps; at most {maximum} are allowed. Train for less, or take a larger batch.',
  'problem.nodesDivideReplicas':
    'Nodes of one size must make up the {replicas} replicas. Allowed: {allowed}.',
  'problem.noMicroBatches':
    'Without a part of the batch there is no gradient to accumulate. A whole number from {minimum} (no accumulation) to {maximum} is allowed.',
  'problem.powerSgdTooEarly':
    'PyTorch rebuilds its buckets after iteration 0, and residual and Q would no longer fit them. Start at {minimum} or later, up to {maximum}.',
  'problem.gatherNeedsRing':
    'What {kind} sends differs from rank to rank and cannot be added up on the way, so it is gathered around the ring. Take ring, or a compression that adds up: cast, randomK or powerSgd.',
  'problem.compressionNeedsGradients':
    'Under {sync} the ranks exchange weights, and compression is for gradients. Take none, or allReduce.',
  'problem.dgcHasMomentum':
    'DGC has the momentum inside. Take sgd with momentum 0 behind it, and set compression.momentum.',
  'problem.scaledWithFeedback':
    'Scaled by d / k, the residual would be sent d / k times. Take scaling or error feedback.',
  'problem.nothingKeptBack':
    'There is no residual to lose here. Take a compression with error feedback: topK, randomK, dgc, efSignSgd, oneBit or powerSgd.',
  'problem.sumNeedsGradients':
    'Under {sync} the gradients of all ranks are not summed. Take allReduce, or switch this off.',
  'problem.microBatchesOverBatch':
    'A batch of {batch} has at most {batch} parts. Take fewer, or a larger batch.',
  'problem.milestonesAscend': 'Milestones are steps in ascending order, each once.',
  'problem.adasumPowerOfTwo':
    'Adasum combines pairs of ranks and pairs of pairs, so the {replicas} replicas would have to be a power of two. Take 1, 2, 4, 8 or 16, or mean.',
  'problem.adasumNeedsHalving':
    'Adasum combines halves of vectors between pairs of ranks whose distance doubles. Take halving-doubling, or mean.',
  'problem.adasumAlone':
    'Adasum combines whole gradients in every step. Take allReduce with equal batches and no compression, or mean.',
  'problem.noiseNeedsReplicas':
    'With one replica there is no second batch size to compare with. Take at least 2 replicas.',
  'problem.noiseNeedsMean':
    'The estimate needs each rank’s whole gradient and their exact mean in every step. Take allReduce with equal batches, mean, no compression, and no_sync with micro-batches.',
  'problem.mistakeNeedsReplicas':
    'With one replica this mistake changes nothing. Take at least 2 replicas, or switch it off.',
  'problem.mistakeNeedsGradients':
    'Under {sync} gradients are not reduced in every step, so this mistake has no meaning. Take allReduce, or switch it off.',
  'problem.mistakeNeedsEqualBatches':
    'This mistake is shown where all ranks have batches of one size. Switch the balance off, or the mistake.',
  'problem.nothingAugmented':
    'Nothing is augmented here. Take mnist with data.augment shift, or switch this off.',
  'problem.epochNotReached':
    'The rank runs out at the end of its first epoch, {epoch} steps, and the run has {steps}. Train for at least an epoch, or switch this off.',
  'problem.nobodyWaits':
    'Around the wrapper nothing is reduced, so nobody would wait for the rank that is missing. Make one of the two mistakes.',
  'problem.nothingScaled':
    'There is no loss scaling to leave out. Take {allowed} with loss scaling, or switch this off: fp32 and bf16 need none.',
  'problem.nothingClipped':
    'The order of clipping and unscaling matters only where both are done. Set clipNorm above 0 and a loss scaling, or switch this off.',
  'problem.noMasterWeights':
    'There is no fp32 copy to leave out. Take a narrow format with masterWeights, or switch this off.',
  'problem.addressTooLong':
    'An address holds at most {maximum} characters of experiment. Copy the link again.',
  'problem.addressVersion':
    'Only version {version} of such links is understood, and the link must say so: v={version}.',
  'problem.addressPart': 'A part of a link reads field=value. Copy the link again.',
  'problem.addressTwice': 'The link gives this field more than once. Keep one of them.',

  'unit.samples': { one: '{count} sample', other: '{count} samples' },
  'unit.steps': { one: '{count} step', other: '{count} steps' },
  'unit.epochsOrSteps': { one: '{count} epoch or step', other: '{count} epochs or steps' },
  'unit.epochs': { one: '{count} epoch', other: '{count} epochs' },
  'unit.replicas': { one: '{count} replica', other: '{count} replicas' },
  'unit.neurons': { one: '{count} neuron', other: '{count} neurons' },
  'unit.channels': { one: '{count} channel', other: '{count} channels' },
  'unit.characters': { one: '{count} character', other: '{count} characters' },
  'unit.values': { one: '{count} number', other: '{count} numbers' },
  'unit.mebibytes': '{count} MiB',
  'unit.kibibytes': '{count} KiB',
  'unit.nodes': { one: '{count} node', other: '{count} nodes' },
  'unit.gpus': { one: '{count} GPU', other: '{count} GPUs' },
  'unit.nics': { one: '{count} NIC', other: '{count} NICs' },
  'unit.segments': { one: '{count} segment', other: '{count} segments' },
  'unit.seconds': '{count} s',
  'unit.batches': { one: '{count} batch', other: '{count} batches' },
  'unit.teraflops': '{count} TFLOP/s',
  'unit.gigabytesPerSecond': '{count} GB/s',
  'unit.gigabitsPerSecond': '{count} Gb/s',
  'unit.microseconds': '{count} µs',
  'unit.samplesPerSecond': '{count} samples/s',
  'unit.hours': '{count} h',

  'preset.mnist-mlp.name': 'Digits, four replicas',
  'preset.mnist-mlp.description':
    'A two-layer network learns handwritten digits on four replicas. About 95 % of the test digits are right after five epochs.',
  'preset.mnist-cnn.name': 'Digits, convolutions',
  'preset.mnist-cnn.description':
    'A small convolutional network on the same digits: far more computing for the same bytes on the ring.',
  'preset.spirals.name': 'Two spirals',
  'preset.spirals.description':
    'Two arms of points wind around each other. Watch the boundary curl between them.',
  'preset.moons.name': 'Two moons',
  'preset.moons.description':
    'Two half-moons that no straight line separates: learned in a moment.',
  'preset.circles.name': 'Circles',
  'preset.circles.description':
    'A ring of points around a disc: one hidden layer closes the curve.',
  'preset.xor.name': 'XOR',
  'preset.xor.description':
    'Opposite quadrants belong together. A linear model fails here, a small hidden layer does not.',
  'preset.moby-dick.name': 'Moby-Dick, a transformer',
  'preset.moby-dick.description':
    'Two replicas of a small transformer learn to write English, a character at a time. Takes about three minutes.',
  'preset.mnist-topk.name': 'Digits, top-k 1 %',
  'preset.mnist-topk.description':
    'Each rank sends its largest hundredth and keeps the rest for later: nearly as accurate as dense, for a twenty-fifth of the bytes.',
  'preset.topk-forgetful.name': 'Top-k that forgets',
  'preset.topk-forgetful.description':
    'A thousandth of the gradient is sent and the rest is thrown away. Turn error feedback on and five points of accuracy come back.',
  'preset.mnist-bf16.name': 'Digits in bf16',
  'preset.mnist-bf16.description':
    'The range of fp32 in sixteen bits: it trains without loss scaling. The rounding is emulated.',
  'preset.fp16-unscaled.name': 'fp16 without loss scaling',
  'preset.fp16-unscaled.description':
    'Twenty layers shrink the gradient below what fp16 can hold, and nothing is learned. Set loss scaling to dynamic and it is.',
  'preset.mnist-webgpu.name': 'Digits on WebGPU',
  'preset.mnist-webgpu.description':
    'The first experiment with WebGPU forced. All replicas share the one GPU of this machine.',
  'problem.line': '{path}: found {found}. {message}',
  'problem.lineWhole': 'Found {found}. {message}',
  'problem.count': {
    one: 'The experiment has {count} fault:',
    other: 'The experiment has {count} faults:',
  },
  'failure.data':
    'The data file {file} is missing, short or damaged. Reload the page; if that does not help, run npm start again, which packs the data anew.',
  'failure.given': 'The given weights or batches do not fit the experiment: see the details.',
  'failure.notIsolated':
    'Shared memory needs an isolated page, and this one is not. Choose the transport ports or auto.',
  'failure.noBackend':
    'No backend could train this model here: see the details. Choose auto, or another backend.',
  'failure.nonFinite': {
    one: 'The loss is no number since step {step}, on rank {ranks}. Most often the learning rate is too large: lower it, or add a warm-up.',
    other:
      'The loss is no number since step {step}, on ranks {ranks}. Most often the learning rate is too large: lower it, or add a warm-up.',
  },
  'failure.hang': {
    one: 'Rank {rank} ran out of batches at step {step}; rank {waiting} waits for it in a collective, for ever. All ranks must take the same number of batches: pad the shards, as DistributedSampler does, or drop the last batch on all ranks.',
    other:
      'Rank {rank} ran out of batches at step {step}; ranks {waiting} wait for it in a collective, for ever. All ranks must take the same number of batches: pad the shards, as DistributedSampler does, or drop the last batch on all ranks.',
  },
  'failure.unexpected': 'The run failed, which should not happen: see the details.',
  'group.task': 'Task',
  'group.dataParallel': 'Data parallel',
  'group.optimizer': 'Optimizer',
  'group.communication': 'Communication',
  'group.mistakes': 'Classic mistakes',
  'problem.fp8NeedsScaling':
    'Eight bits lose nearly every gradient that is not scaled. Take dynamic or fixed loss scaling.',
  ...recoveryMessages,
  'problem.ranksOverCluster':
    'The cluster has {allowed} devices, {nodes} nodes of {gpusPerNode}. Take fewer replicas, or more cluster.nodes.',
  'problem.hierarchyOnOneNode':
    'All {replicas} ranks fit on one node of {gpusPerNode}, so there is no second level. Take ring, or fewer cluster.gpusPerNode.',
  'problem.syncNormNeedsEveryStep':
    'Synchronised statistics are exchanged in every step, by all ranks, which {sync} does without. Take allReduce, or the norm batch.',
  'problem.syncNormNeedsEqualBatches':
    'Synchronised norms add the ranks’ gradients as if all batches were of one size. Switch the balance off, or take the norm batch.',
  'problem.noOwnBuffers':
    'Only the norm batch on several replicas has running statistics that differ. Take it, or leave the mistake out.',
  'group.precision': 'Precision',
  'group.cluster': 'Modelled cluster',
  'group.run': 'Run',
} as const satisfies Readonly<Record<ExperimentKey, Message>>;

/** @file The two sentences behind each field's (i), in one piece, loaded when one is first opened. */
import type { HelpKey } from '../keys.ts';
import type { Message } from '../message.ts';

export const help = {
  'field.cluster.preset.help':
    'Sets the defaults of all other values of the cluster; any of them may be given beside it. The sources stand in docs/clusters.md.',
  'field.cluster.workload.help':
    'itself is the small replica; the others price the step as if it were a known model. Convergence stays that of the replica.',
  'field.cluster.nodes.help':
    'Ranks fill one node after the other. Nodes that hold no rank cost nothing.',
  'field.cluster.gpusPerNode.help':
    'They talk over the link inside the node and share its network cards. One rank runs on each.',
  'field.cluster.fp32Tflops.help':
    'The dense figure of the vendor’s sheet. Training reaches a share of it, which the efficiency says.',
  'field.cluster.tf32Tflops.help':
    'Inputs of ten mantissa bits, sums in fp32. Devices without it take their fp32 peak.',
  'field.cluster.halfTflops.help':
    'The dense figure: sheets often print twice as much, for sparse matrices.',
  'field.cluster.fp8Tflops.help':
    'Twice the 16-bit peak where the device has fp8. Others take their 16-bit peak.',
  'field.cluster.efficiency.help':
    'Large matrix products reach 60 to 80 percent. What memory limits is counted apart.',
  'field.cluster.halfEfficiency.help':
    'For TF32, 16 and 8 bits. The faster the arithmetic, the harder it is to feed.',
  'field.cluster.memoryGBps.help':
    'Activations, bucket copies and the optimizer’s update are read from and written to it. Sixteen bits halve the activations’ share.',
  'field.cluster.variation.help':
    'Standard deviation, as a share of the compute time. A step waits for the slowest of all ranks, so more ranks wait longer.',
  'field.cluster.intraTopology.help':
    'Behind a switch, or a path through the host, every device has its full bandwidth however many take part. In a mesh of six links two devices share one of them, four share four.',
  'field.cluster.switchReduction.help':
    'NVLink SHARP adds on the way, so a vector crosses each link once. Hopper and newer have it.',
  'field.cluster.intraGBps.help':
    'What a ring reaches with large messages, protocol included. For a mesh it is that of all its links together.',
  'field.cluster.intraLlUs.help':
    'NCCL’s LL protocol sends a flag with every word: the shortest delay and at most half the bandwidth.',
  'field.cluster.intraLl128Us.help':
    'A flag with every line of 128 bytes: nearly the full bandwidth. Only NVLink promises the order that it needs.',
  'field.cluster.intraSimpleUs.help':
    'The Simple protocol signs off whole chunks with a fence: slow to start, full bandwidth.',
  'field.cluster.intraLlGBps.help':
    'NCCL keeps such a limit for every generation of GPUs. It decides where LL gives way to the others.',
  'field.cluster.nicsPerNode.help':
    'All ranks of the node share them. A ring enters and leaves a node once, over cards of its own.',
  'field.cluster.nicGbps.help':
    'Bits a second as printed on the card, one direction. Divide by eight for bytes.',
  'field.cluster.networkEfficiency.help':
    'Headers, congestion and copies through host memory take the rest. RDMA reaches about 0.97.',
  'field.cluster.networkDelayUs.help':
    'Distance, switches and sockets. A ring hides it as long as its chunks take longer than the delay.',
  'field.cluster.networkLlUs.help':
    'NCCL counts 2.7 over InfiniBand. Proxies and libraries such as libfabric take much longer.',
  'field.cluster.networkLl128Us.help':
    'NCCL counts 4 over InfiniBand. It is off where the network keeps no order.',
  'field.cluster.networkSimpleUs.help':
    'Posting, completion and the proxy thread. NCCL counts 14 over InfiniBand.',
  'field.cluster.networkLlGBps.help':
    'As inside a node, but for rings and trees that cross the network.',
  'field.cluster.sharedMedium.help':
    'As on Wi-Fi: when all send, as in a ring, each gets its share. Behind a switch every node has its own cable.',
  'field.cluster.oversubscription.help':
    'Uplinks of a pod carry its nodes’ bandwidth divided by this. Rings and trees leave a pod with one node’s traffic, so they feel it only where pods are small; 1 is a full fat tree.',
  'field.cluster.nodesPerPod.help':
    'Within a pod the full bandwidth holds. Llama 3’s pods have 3,072 GPUs, 384 machines.',
  'field.cluster.library.help':
    'nccl moves bytes from device to device; gloo takes them through host memory and adds them up on the CPU.',
  'field.cluster.launchUs.help':
    'Kernel launch and the threads that meet before it. Several devices in one process take longer.',
  'field.cluster.channels.help':
    'Each has its own buffers and its own part of the message. Between nodes there are at most two a network card.',
  'field.cluster.slotKiB.help':
    'A pipeline must fill before it flows: small slots start sooner. NCCL has eight slots of 512 KiB a channel.',
  'field.cluster.hostGBps.help':
    'Every byte is received, added by a core and sent on. It is what keeps Gloo behind NCCL on fast networks.',
  'field.cluster.segmentsInFlight.help':
    'Gloo cuts into segments of 1 MiB. With two in flight a long delay costs half a round trip for each.',
  'field.cluster.kernelUs.help':
    'A device waits for its host where kernels are shorter than that, as with small batches. Two kernels a parameter tensor forward, four backward.',
  'field.cluster.hookUs.help':
    'An autograd hook and two small kernels, on the CPU’s time. Models of many small tensors pay most.',
  'field.cluster.contention.help':
    'NCCL’s kernels use the same cores and memory as backward. 0.45 means ten hidden milliseconds cost 4.5.',
  'field.cluster.loaderSamplesPerSecond.help':
    'All devices of a node share its cores. Only what exceeds the step is waited for, if there is a queue.',
  'field.cluster.loaderPrefetch.help':
    'With 0 every step waits for its whole batch. More than one helps only against unsteady loaders.',
  'field.cluster.storageGBps.help':
    'All ranks together. A checkpoint of a model in mixed precision has 14 bytes a parameter.',
  'field.cluster.mtbfHoursPerGpu.help':
    'Divide it by the number of devices for that of the job. Llama 3’s 16,384 GPUs failed every three hours: 50,700 each.',
  'field.communication.collective.help':
    'ring sends the fewest bytes a rank, trees need fewer steps one after the other, a star puts all traffic on rank 0. All give every rank the same bits; the order of the sums differs, and with it the last digits.',
  'field.communication.ranksPerNode.help':
    'Ranks of one node scatter and gather among themselves, and only a part of the vector goes between nodes, as in Horovod. It must divide the replicas.',
  'field.communication.combine.help':
    'mean averages them. adasum is Horovod’s adaptive sum, tensor by tensor: parallel gradients are averaged, orthogonal ones added, so the rate need not grow with N. It travels by halving-doubling, with three sums more a tensor.',
  'field.measure.noiseScale.help':
    'Compares the norm of each rank’s own gradient with that of the mean: the more they differ, the noisier the gradient and the larger the batch that pays. It sends one number more a rank and a step.',
  'field.compression.kind.help':
    'Where DDP has its communication hook. Casts and PowerSGD are added up on the way; the others are gathered around the ring, since what one rank sends cannot be added to what another does.',
  'field.compression.format.help':
    'Numbers are sent and summed in this format, as DDP’s fp16 and bf16 hooks do. fp16 has more digits and overflows beyond 65504, bf16 has the range of fp32.',
  'field.compression.ratio.help':
    '0.01 sends one number in a hundred. With N ranks gathering, index and value together pay off below a share of 1 / N.',
  'field.compression.scope.help':
    'bucket keeps the same share of every bucket and can start before backward has ended. global keeps the largest wherever they are.',
  'field.compression.errorFeedback.help':
    'Each rank remembers what it kept back, so nothing is lost, only late. Without it small entries never arrive, and training stalls.',
  'field.compression.scaled.help':
    'The sent values then stand for the others too: right on average, but far noisier. It excludes error feedback.',
  'field.compression.momentum.help':
    'DGC gathers momentum before it chooses, so that late values arrive with theirs. The optimizer behind it must have none.',
  'field.compression.nesterov.help':
    'The momentum of DGC in Nesterov’s form, as its authors’ code offers it. It changes what is gathered, not what is sent.',
  'field.compression.clipNorm.help':
    'Every rank clips its own gradient at this norm divided by the root of N, before it is added to what was kept back.',
  'field.compression.warmUp.help':
    'paper sends 25, 6.25, 1.56 and 0.4 percent in the first four epochs; code follows the published code, which takes five. Early gradients change too fast to be kept back.',
  'field.compression.levels.help':
    'QSGD rounds each number to one of these, up or down at random, so that it is right on average. More levels, more bits, less noise.',
  'field.compression.bucketSize.help':
    'Smaller groups are rounded more finely and send one norm more each. The paper takes 512.',
  'field.compression.coding.help':
    'fixed gives every number the same bits. elias gives small levels fewer, so the bytes depend on the gradient.',
  'field.compression.clipDeviations.help':
    'TernGrad’s step is the largest magnitude, so one outlier makes all others noise. The paper clips at 2.5.',
  'field.compression.rank.help':
    'A gradient of n by m becomes (n + m) times this many numbers. PyTorch starts at 1.',
  'field.compression.startStep.help':
    'Early gradients have no stable directions yet. At least 2, since DDP rebuilds its buckets after the first step.',
  'field.compression.minCompressionRate.help':
    'A matrix is factored only where that makes it more than this many times smaller. PyTorch takes 2.',
  'field.compression.warmStart.help':
    'One step of power iteration a training step then follows the gradient’s main directions. Without it every step begins with random ones.',
  'field.sync.kind.help':
    'allReduce averages gradients in every step; backup does so without the last ranks. localSgd and its kin average weights now and then: far fewer bytes. async and ssp have a parameter server on rank 0, and a step is one update of it.',
  'field.sync.period.help':
    'The longer, the fewer bytes and the further the ranks drift apart. After the last step they always average.',
  'field.sync.warmupSteps.help':
    'Post-local SGD begins as plain data parallel, while gradients are large, and averages weights only afterwards.',
  'field.sync.outerRate.help':
    'DiLoCo takes the way the ranks went on average for a gradient and makes one step along it. 1 without momentum is local SGD; the paper takes 0.7.',
  'field.sync.outerMomentum.help': 'Carries the way of earlier rounds on. The paper takes 0.9.',
  'field.accumulation.microBatches.help':
    'Their gradients are added up, weighted by their size, so the update is that of the whole batch. It saves memory, not time.',
  'field.accumulation.noSync.help':
    'With it gradients are added up on every rank first, as under DDP’s no_sync. Without it every part is reduced: the same update for as many times the bytes.',
  'field.clipNorm.help':
    'The averaged gradient is scaled down to this norm where it exceeds it, as by clip_grad_norm_. It tames single wild steps.',
  'field.optimizer.trustCoefficient.help':
    'LARS gives each layer a rate of its own: this number times the norm of the weights over that of the gradient. It holds large batches together.',
  'field.learningRate.milestones.help':
    'At each of these steps the rate is multiplied by the factor once more. They ascend; one beyond the end of the run does nothing.',
  'field.learningRate.factor.help':
    '0.1 is usual: the loss falls at once where the rate drops. 1 changes nothing.',
  'field.data.name.help':
    'Handwritten digits, points in the plane, or a novel read a character at a time. Every replica trains on its own shard of the same data.',
  'field.data.size.help':
    'small has 12,000 training and 2,000 test digits, full has 60,000 and 10,000. The full set takes longer to load and five times as many steps an epoch.',
  'field.data.augment.help':
    'shift moves each training image by up to two pixels each way, anew in every step and on every rank. Test images stay as they are.',
  'field.data.samples.help':
    'Points are drawn from the seed, half of them in each class. The test set has as many points and shares none with the training set.',
  'field.data.noise.help':
    'Standard deviation of the normal noise added to both coordinates; the shapes span about -1 to 1. With much noise the classes overlap and no model is right everywhere.',
  'field.model.kind.help':
    'softmax and mlp read digits and points, cnn reads digits, transformer reads text. All replicas hold the same weights after every step.',
  'field.model.hidden.help':
    'One number a layer, from input to output. Wider layers have more parameters, so every step sends more bytes around the ring.',
  'field.model.activation.help':
    'Without it the layers would collapse into one linear map. relu is the cheapest, tanh draws smooth boundaries, gelu is the choice of transformers.',
  'field.model.channels.help':
    'Two numbers, one for each 3 x 3 convolution. Convolutions reuse few weights at many places: much computing, few bytes to send.',
  'field.model.dense.help':
    'This layer holds most of the parameters of the network. Make it smaller to send less in every step.',
  'field.model.norm.help':
    'batch takes mean and variance of the own batch on each rank, as PyTorch does by default: with few samples a rank they are rough. syncBatch takes those of all ranks’ batches, as SyncBatchNorm does, for two more exchanges a layer in every step.',
  'field.model.width.help':
    'The length of the vector that passes from block to block. Parameters grow with its square.',
  'field.model.heads.help':
    'Every head looks back at the text in its own way, with width / heads numbers a character. More heads cost no more parameters.',
  'field.model.depth.help':
    'Each block is attention followed by a small MLP. Time and parameters grow in proportion.',
  'field.model.context.help':
    'The model predicts each character from those before it in this window. One sample is one window, so a batch of 16 with context 32 has 512 characters.',
  'field.replicas.help':
    'Each is a Web Worker with its own copy of the model and its own shard of the data. More replicas than processor cores are allowed and show the method, not the speed.',
  'field.batchPerRank.help':
    'The gradient is the mean over replicas x batch samples, the effective batch. Larger batches mean fewer, steadier steps an epoch.',
  'field.duration.unit.help':
    'An epoch is one pass of all replicas together over the training data. A step is one update of the weights.',
  'field.duration.count.help':
    'The run ends after so many and evaluates once more. You can stop it at any time before.',
  'field.optimizer.kind.help':
    'Every replica applies the same averaged gradient with the same optimizer, so the weights stay equal. sgd and lars keep one number a parameter, the others two. lars and lamb give each layer a rate of its own, for large batches.',
  'field.optimizer.momentum.help':
    'The update is a sum of past gradients, each weighted by this number once more. 0.9 averages about ten steps; 0 is plain gradient descent.',
  'field.optimizer.nesterov.help':
    'The update uses the gradient plus the momentum it will have, as in PyTorch. It needs a momentum above 0.',
  'field.optimizer.beta1.help':
    'The running mean of gradients keeps this share of itself in every step. 0.9 remembers about ten steps.',
  'field.optimizer.beta2.help':
    'The running mean of squared gradients keeps this share of itself and scales the update. Short runs learn faster with 0.98 than with 0.999.',
  'field.optimizer.epsilon.help':
    'Added to the root of the squared gradient before dividing by it. Larger values make the first steps more careful.',
  'field.optimizer.weightDecay.help':
    'sgd and adam add this multiple of the weights to the gradient; adamw shrinks the weights directly. It holds back over-fitting.',
  'field.learningRate.base.help':
    'The update is multiplied by this number. Too small and nothing happens, too large and the loss explodes; a larger effective batch bears a larger rate.',
  'field.learningRate.warmupSteps.help':
    'The rate rises in a straight line over these steps. Large batches and transformers need it, because their first gradients are misleading.',
  'field.learningRate.scaling.help':
    'linear multiplies the rate by the batch of all ranks over the batch it was tuned for (Goyal et al. 2017), squareRoot by the root of that. A warm-up then begins at the tuned rate.',
  'field.learningRate.referenceBatch.help':
    'With scaling on, the learning rate is right for so many samples a step, and follows the replicas from there. With scaling off it has no effect.',
  'field.learningRate.decay.help':
    'none keeps it; cosine lowers it to zero by the end of the run; step drops it at the milestones. Falling rates settle the weights and usually give a lower final loss.',
  'field.buckets.rule.help':
    'ddp makes PyTorch’s buckets: one for everything in the first step, then by size. horovod fuses what is ready up to a threshold, in every step alike; its cycle time belongs to the cluster clock, so here all gradients count as ready in one cycle.',
  'field.buckets.fusionMiB.help':
    'Horovod joins tensors while their sum stays within this size; a tensor that is larger goes alone. Its default is 128 MiB.',
  'field.buckets.firstMiB.help':
    'Gradients are gathered into buckets in backward order, and each full bucket is sent at once. The first is small so that sending starts early; PyTorch takes 1 MiB.',
  'field.buckets.capMiB.help':
    'A bucket is closed once it reaches this size, so it can be larger. Many small buckets overlap better with backward but pay more latency; PyTorch takes 25 MiB.',
  'field.transport.help':
    'shared uses one memory for all workers and needs an isolated page; ports sends messages and works everywhere. auto takes shared where it can; the results are the same to the bit.',
  'field.backend.help':
    'auto times one step on each usable backend and takes the fastest. fused is plain code for softmax and mlp; the others are TensorFlow.js.',
  'field.seed.help':
    'Weights, points and the order of samples all follow from it. The same experiment with the same seed and backend repeats to the bit.',
  'field.evalEvery.help':
    'The replicas share the test set among themselves and report loss and accuracy. Frequent tests slow the run down but change nothing in it.',
  'field.logEvery.help':
    'Every step is computed and checked, but only every so many are written down. Raise it for runs of very many small steps.',
  'field.mistakes.sumNotMean.help':
    'Gradients are added over the ranks and not divided. It acts as a learning rate N times as large, and often diverges.',
  'field.mistakes.noErrorFeedback.help':
    'The residual is cleared after every step, as if its buffer were made anew. Small entries never arrive.',
  'field.mistakes.noSetEpoch.help':
    'DistributedSampler shuffles by seed and epoch, and must be told the epoch. Without it every batch comes back exactly as it was.',
  'field.mistakes.noBroadcast.help':
    'Gradients are averaged all the same, so the ranks stay as far apart as they began and average gradients of different models. The hashes never agree.',
  'field.mistakes.equalAugmentation.help':
    'Every worker seeds its random numbers alike, so sample i moves the same way on all ranks. The batch then holds fewer different changes than it seems to, and nothing fails.',
  'field.mistakes.unequalBatches.help':
    'It leaves its loop while the others wait for it in the all-reduce, for ever. The wait is real here; after two seconds of wall time in which nothing moves the run is ended and the ranks are named.',
  'field.mistakes.noLossScaling.help':
    'Loss scaling stays chosen above, but the loss is not multiplied. Small gradients are rounded to zero, and a deep network learns nothing.',
  'field.mistakes.clipBeforeUnscale.help':
    'The norm is measured times the loss scale, so nearly every gradient exceeds the bound and is cut to the bound divided by the scale. Unscale first, as PyTorch’s unscale_ is for.',
  'field.mistakes.pureLowWeights.help':
    'Updates go straight into weights of the narrow format. One that is smaller than half a step of the format is rounded away: a thousand times 0.0001 leaves an fp16 weight of 1 at 1.',
  'field.mistakes.unsyncedModule.help':
    'With model.module(x) DDP hears nothing of the forward pass and reduces nothing in backward. From the middle of the run on every rank trains alone, on its own shard, and the weights drift apart.',
  'field.mistakes.noBufferBroadcast.help':
    'DDP with broadcast_buffers=False: each rank keeps the running mean and variance of its own shard. The weights agree all the same, but every rank evaluates another model.',
  'field.precision.format.help':
    'Weights, activations and gradients are rounded to this format wherever one operator hands them to the next; sums stay in fp32, as on tensor cores. It shows the effect on learning, not the speed: the rounding costs time here. fp8 takes e4m3 forward and e5m2 for gradients.',
  'field.precision.masterWeights.help':
    'An update smaller than about 1/2000 of an fp16 weight is lost when it is added to it. With a master copy in fp32 it is kept, and only the copy that computes is rounded.',
  'field.lossScaling.kind.help':
    'Gradients below 2^-25 are zero in fp16; multiplied by the scale they survive. dynamic follows PyTorch’s GradScaler: halved and the step skipped when a gradient overflows, doubled after a while without.',
  'field.lossScaling.scale.help':
    'PyTorch begins at 65,536. Too large only costs a few skipped steps at the start, because every overflow halves it.',
  'field.lossScaling.growthInterval.help':
    'PyTorch takes 2,000. Shorter intervals find the largest scale sooner and skip steps more often.',
  'field.checkpointing.help':
    'Only the inputs of the layers are kept; backward computes the rest once more, a layer at a time. It holds less memory, takes about a third more time, and gives the same gradient.',
  'field.recovery.policy.help':
    'shrink re-forms the ring without the lost ranks and shares out the samples that are left, as Horovod elastic does. replace starts new workers, which receive the state from rank 0; stop is plain DDP: one rank gone ends the run.',
  'field.recovery.commitEvery.help':
    'After a loss all ranks go back to the last commit they have in common; the steps since then are done again. Frequent commits lose less work and cost a copy each.',
  'field.recovery.timeoutSeconds.help':
    'A rank that hangs, or cannot be reached, is noticed by the others’ waiting; a killed one at once. NCCL waits 10 minutes by default in PyTorch, elastic systems far less.',
  'field.recovery.joinSeconds.help':
    'A new process is placed on a machine, starts, loads its libraries and data. The hand-over of the state is priced apart, by the cluster’s links.',
  'field.recovery.faults.help':
    '“kill 2 @ 40” terminates the worker of rank 2 in the middle of step 40; hang, link, split, nan and flip are the other kinds, “split 0+1 @ 40” names two ranks. After a loss the ranks that are left are numbered anew.',
  'field.stragglers.help':
    '“slow 3 x2 @ 10-20” halves the speed of rank 3 between cluster seconds 10 and 20; other kinds are “jitter all 0.2”, “hiccup 1 0.5/5” (seconds of pause, every so many), “heat 2 35” (degrees around the device), “link 1 x4” and “loader 0 x10”. Training is as real as ever; only the cluster’s clock and what follows it change.',
  'field.sync.bound.help':
    'A rank that has made more waits until the slowest has caught up. 0 is bulk synchronous: nobody begins a round before all have ended the last.',
  'field.sync.splits.help':
    'With as many splits as replicas every gradient is applied when it arrives. With one the server waits for as many gradients as there are replicas and applies their mean.',
  'field.sync.stalenessAware.help':
    'A gradient of weights that the server has updated k times since is applied at the k-th part of the learning rate. Old gradients then do less harm, and less good.',
  'field.sync.backups.help':
    'A step takes the first gradients and drops the last so many, with the samples they were made of. It needs no waiting for stragglers, for the work of some ranks.',
  'field.sync.balance.help':
    'speeds deals the batch of all ranks out in proportion to their speeds and weights each gradient by its share, so that all are done at once and the mean stays that of the same samples.',
  'field.sync.slowdowns.help':
    '1, 1, 3 makes rank 2 take three times as long for a gradient in cluster time; ranks beyond the list have 1. It decides the order of events, never how fast this machine works.',
  'field.sync.jitter.help':
    'Deviation of the logarithm of each duration, drawn anew for every gradient from the seed. With it ranks of one speed overtake each other now and then.',
} as const satisfies Readonly<Record<HelpKey, Message>>;

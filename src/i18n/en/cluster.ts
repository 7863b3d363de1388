/** @file Words for the cluster that the clock prices. */
import type { Message } from '../message.ts';

export const cluster = {
  'field.cluster.preset.label': 'Cluster',
  'field.cluster.preset.line': 'A known cluster to start from.',
  'field.cluster.preset.help':
    'Sets the defaults of all other values of the cluster; any of them may be given beside it. The sources stand in docs/clusters.md.',
  'field.cluster.workload.label': 'Priced as',
  'field.cluster.workload.line': 'Whose bytes and FLOPs the clock counts.',
  'field.cluster.workload.help':
    'itself is the small replica; the others price the step as if it were a known model. Convergence stays that of the replica.',
  'field.cluster.nodes.label': 'Nodes',
  'field.cluster.nodes.line': 'Machines in the cluster.',
  'field.cluster.nodes.help':
    'Ranks fill one node after the other. Nodes that hold no rank cost nothing.',
  'field.cluster.gpusPerNode.label': 'GPUs a node',
  'field.cluster.gpusPerNode.line': 'Devices in one machine.',
  'field.cluster.gpusPerNode.help':
    'They talk over the link inside the node and share its network cards. One rank runs on each.',
  'field.cluster.fp32Tflops.label': 'fp32 peak',
  'field.cluster.fp32Tflops.line': 'Arithmetic in fp32.',
  'field.cluster.fp32Tflops.help':
    'The dense figure of the vendor’s sheet. Training reaches a share of it, which the efficiency says.',
  'field.cluster.tf32Tflops.label': 'TF32 peak',
  'field.cluster.tf32Tflops.line': 'Matrix products in TF32.',
  'field.cluster.tf32Tflops.help':
    'Inputs of ten mantissa bits, sums in fp32. Devices without it take their fp32 peak.',
  'field.cluster.halfTflops.label': '16-bit peak',
  'field.cluster.halfTflops.line': 'Matrix products in fp16 or bf16.',
  'field.cluster.halfTflops.help':
    'The dense figure: sheets often print twice as much, for sparse matrices.',
  'field.cluster.fp8Tflops.label': 'fp8 peak',
  'field.cluster.fp8Tflops.line': 'Matrix products in fp8.',
  'field.cluster.fp8Tflops.help':
    'Twice the 16-bit peak where the device has fp8. Others take their 16-bit peak.',
  'field.cluster.efficiency.label': 'fp32 efficiency',
  'field.cluster.efficiency.line': 'Share of the fp32 peak that is reached.',
  'field.cluster.efficiency.help':
    'Large matrix products reach 60 to 80 percent. What memory limits is counted apart.',
  'field.cluster.halfEfficiency.label': 'Tensor efficiency',
  'field.cluster.halfEfficiency.line': 'Share of the other peaks that is reached.',
  'field.cluster.halfEfficiency.help':
    'For TF32, 16 and 8 bits. The faster the arithmetic, the harder it is to feed.',
  'field.cluster.memoryGBps.label': 'Memory',
  'field.cluster.memoryGBps.line': 'Bandwidth of a device’s memory.',
  'field.cluster.memoryGBps.help':
    'Activations, bucket copies and the optimizer’s update are read from and written to it. Sixteen bits halve the activations’ share.',
  'field.cluster.variation.label': 'Variation',
  'field.cluster.variation.line': 'How far devices differ in speed.',
  'field.cluster.variation.help':
    'Standard deviation, as a share of the compute time. A step waits for the slowest of all ranks, so more ranks wait longer.',
  'field.cluster.intraTopology.label': 'Inside a node',
  'field.cluster.intraTopology.line': 'How its devices are wired.',
  'field.cluster.intraTopology.help':
    'Behind a switch, or a path through the host, every device has its full bandwidth however many take part. In a mesh of six links two devices share one of them, four share four.',
  'field.cluster.switchReduction.label': 'Sums in the switch',
  'field.cluster.switchReduction.line': 'Let the NVLink switch add.',
  'field.cluster.switchReduction.help':
    'NVLink SHARP adds on the way, so a vector crosses each link once. Hopper and newer have it.',
  'field.cluster.intraGBps.label': 'Link inside',
  'field.cluster.intraGBps.line': 'Bandwidth of a device’s link, one direction.',
  'field.cluster.intraGBps.help':
    'What a ring reaches with large messages, protocol included. For a mesh it is that of all its links together.',
  'field.cluster.intraLlUs.label': 'LL hop inside',
  'field.cluster.intraLlUs.line': 'Delay of a small message.',
  'field.cluster.intraLlUs.help':
    'NCCL’s LL protocol sends a flag with every word: the shortest delay and at most half the bandwidth.',
  'field.cluster.intraLl128Us.label': 'LL128 hop inside',
  'field.cluster.intraLl128Us.line': 'Delay of a medium message; 0 is off.',
  'field.cluster.intraLl128Us.help':
    'A flag with every line of 128 bytes: nearly the full bandwidth. Only NVLink promises the order that it needs.',
  'field.cluster.intraSimpleUs.label': 'Simple hop inside',
  'field.cluster.intraSimpleUs.line': 'Delay of a large message.',
  'field.cluster.intraSimpleUs.help':
    'The Simple protocol signs off whole chunks with a fence: slow to start, full bandwidth.',
  'field.cluster.intraLlGBps.label': 'LL rate inside',
  'field.cluster.intraLlGBps.line': 'Most that LL moves inside a node.',
  'field.cluster.intraLlGBps.help':
    'NCCL keeps such a limit for every generation of GPUs. It decides where LL gives way to the others.',
  'field.cluster.nicsPerNode.label': 'NICs a node',
  'field.cluster.nicsPerNode.line': 'Network cards of a machine.',
  'field.cluster.nicsPerNode.help':
    'All ranks of the node share them. A ring enters and leaves a node once, over cards of its own.',
  'field.cluster.nicGbps.label': 'NIC',
  'field.cluster.nicGbps.line': 'Rate of one network card.',
  'field.cluster.nicGbps.help':
    'Bits a second as printed on the card, one direction. Divide by eight for bytes.',
  'field.cluster.networkEfficiency.label': 'Network efficiency',
  'field.cluster.networkEfficiency.line': 'Share of that rate that payload reaches.',
  'field.cluster.networkEfficiency.help':
    'Headers, congestion and copies through host memory take the rest. RDMA reaches about 0.97.',
  'field.cluster.networkDelayUs.label': 'Network delay',
  'field.cluster.networkDelayUs.line': 'One way between two nodes, on top of the hops.',
  'field.cluster.networkDelayUs.help':
    'Distance, switches and sockets. A ring hides it as long as its chunks take longer than the delay.',
  'field.cluster.networkLlUs.label': 'LL hop between',
  'field.cluster.networkLlUs.line': 'Delay of a small message between nodes.',
  'field.cluster.networkLlUs.help':
    'NCCL counts 2.7 over InfiniBand. Proxies and libraries such as libfabric take much longer.',
  'field.cluster.networkLl128Us.label': 'LL128 hop between',
  'field.cluster.networkLl128Us.line': 'The same for LL128; 0 is off.',
  'field.cluster.networkLl128Us.help':
    'NCCL counts 4 over InfiniBand. It is off where the network keeps no order.',
  'field.cluster.networkSimpleUs.label': 'Simple hop between',
  'field.cluster.networkSimpleUs.line': 'Delay of a large message between nodes.',
  'field.cluster.networkSimpleUs.help':
    'Posting, completion and the proxy thread. NCCL counts 14 over InfiniBand.',
  'field.cluster.networkLlGBps.label': 'LL rate between',
  'field.cluster.networkLlGBps.line': 'Most that LL moves between nodes.',
  'field.cluster.networkLlGBps.help':
    'As inside a node, but for rings and trees that cross the network.',
  'field.cluster.sharedMedium.label': 'Shared medium',
  'field.cluster.sharedMedium.line': 'All nodes send over one channel.',
  'field.cluster.sharedMedium.help':
    'As on Wi-Fi: when all send, as in a ring, each gets its share. Behind a switch every node has its own cable.',
  'field.cluster.oversubscription.label': 'Oversubscription',
  'field.cluster.oversubscription.line': 'Ports below a switch for one above.',
  'field.cluster.oversubscription.help':
    'Uplinks of a pod carry its nodes’ bandwidth divided by this. Rings and trees leave a pod with one node’s traffic, so they feel it only where pods are small; 1 is a full fat tree.',
  'field.cluster.nodesPerPod.label': 'Nodes a pod',
  'field.cluster.nodesPerPod.line': 'Machines below one level of switches.',
  'field.cluster.nodesPerPod.help':
    'Within a pod the full bandwidth holds. Llama 3’s pods have 3,072 GPUs, 384 machines.',
  'field.cluster.library.label': 'Library',
  'field.cluster.library.line': 'What runs the collectives.',
  'field.cluster.library.help':
    'nccl moves bytes from device to device; gloo takes them through host memory and adds them up on the CPU.',
  'field.cluster.launchUs.label': 'Launch',
  'field.cluster.launchUs.line': 'Start of a collective beyond NCCL’s own.',
  'field.cluster.launchUs.help':
    'Kernel launch and the threads that meet before it. Several devices in one process take longer.',
  'field.cluster.channels.label': 'Channels',
  'field.cluster.channels.line': 'Rings or trees that run side by side.',
  'field.cluster.channels.help':
    'Each has its own buffers and its own part of the message. Between nodes there are at most two a network card.',
  'field.cluster.slotKiB.label': 'Slot',
  'field.cluster.slotKiB.line': 'What a channel passes on at once.',
  'field.cluster.slotKiB.help':
    'A pipeline must fill before it flows: small slots start sooner. NCCL has eight slots of 512 KiB a channel.',
  'field.cluster.hostGBps.label': 'Host path',
  'field.cluster.hostGBps.line': 'Copies and sums of Gloo on the CPU.',
  'field.cluster.hostGBps.help':
    'Every byte is received, added by a core and sent on. It is what keeps Gloo behind NCCL on fast networks.',
  'field.cluster.segmentsInFlight.label': 'Segments in flight',
  'field.cluster.segmentsInFlight.line': 'Segments that Gloo sends before it waits.',
  'field.cluster.segmentsInFlight.help':
    'Gloo cuts into segments of 1 MiB. With two in flight a long delay costs half a round trip for each.',
  'field.cluster.kernelUs.label': 'Kernel',
  'field.cluster.kernelUs.line': 'Host time to launch one kernel.',
  'field.cluster.kernelUs.help':
    'A device waits for its host where kernels are shorter than that, as with small batches. Two kernels a parameter tensor forward, four backward.',
  'field.cluster.hookUs.label': 'Hook',
  'field.cluster.hookUs.line': 'What DDP does for each parameter tensor.',
  'field.cluster.hookUs.help':
    'An autograd hook and two small kernels, on the CPU’s time. Models of many small tensors pay most.',
  'field.cluster.contention.label': 'Contention',
  'field.cluster.contention.line': 'What hidden communication takes from compute.',
  'field.cluster.contention.help':
    'NCCL’s kernels use the same cores and memory as backward. 0.45 means ten hidden milliseconds cost 4.5.',
  'field.cluster.loaderSamplesPerSecond.label': 'Loader',
  'field.cluster.loaderSamplesPerSecond.line': 'Samples a node loads in a second; 0 never waits.',
  'field.cluster.loaderSamplesPerSecond.help':
    'All devices of a node share its cores. Only what exceeds the step is waited for, if there is a queue.',
  'field.cluster.loaderPrefetch.label': 'Prefetch',
  'field.cluster.loaderPrefetch.line': 'Batches that are loaded ahead.',
  'field.cluster.loaderPrefetch.help':
    'With 0 every step waits for its whole batch. More than one helps only against unsteady loaders.',
  'field.cluster.storageGBps.label': 'Storage',
  'field.cluster.storageGBps.line': 'Where checkpoints are written.',
  'field.cluster.storageGBps.help':
    'All ranks together. A checkpoint of a model in mixed precision has 14 bytes a parameter.',
  'field.cluster.mtbfHoursPerGpu.label': 'Time between failures',
  'field.cluster.mtbfHoursPerGpu.line': 'Of one device, on average.',
  'field.cluster.mtbfHoursPerGpu.help':
    'Divide it by the number of devices for that of the job. Llama 3’s 16,384 GPUs failed every three hours: 50,700 each.',
  'choice.cluster.preset.laptop': 'One laptop',
  'choice.cluster.preset.wifi-laptops': 'Laptops on Wi-Fi',
  'choice.cluster.preset.cloud-10gbe': 'Cloud VMs, 10 GbE',
  'choice.cluster.preset.pascal-25gbe': 'Pascal, 25 GbE',
  'choice.cluster.preset.pcie-host': '4 GPUs over PCIe',
  'choice.cluster.preset.dgx1-v100': 'DGX-1 V100',
  'choice.cluster.preset.dgx2-v100': 'DGX-2 V100',
  'choice.cluster.preset.dgx-a100': 'DGX A100',
  'choice.cluster.preset.dgx-h100': 'DGX H100',
  'choice.cluster.preset.hgx-h200': 'HGX H200',
  'choice.cluster.preset.hgx-b200': 'HGX B200',
  'choice.cluster.preset.h100-ib-ndr': 'H100 + InfiniBand NDR',
  'choice.cluster.preset.h100-roce': 'H100 + RoCE',
  'choice.cluster.preset.llama3-16k': '16,384 H100 (Llama 3)',
  'choice.cluster.preset.p3dn-efa': 'p3dn V100, EFA',
  'choice.cluster.preset.p4de-efa': 'p4de A100, EFA',
  'choice.cluster.preset.slow-link': 'Slow links',
  'choice.cluster.workload.itself': 'Itself',
  'choice.cluster.workload.resnet50': 'ResNet-50',
  'choice.cluster.workload.resnet101': 'ResNet-101',
  'choice.cluster.workload.resnext50': 'ResNeXt-50',
  'choice.cluster.workload.resnext101': 'ResNeXt-101',
  'choice.cluster.workload.inception3': 'Inception V3',
  'choice.cluster.workload.vgg16': 'VGG-16',
  'choice.cluster.workload.gnmt': 'GNMT',
  'choice.cluster.workload.bert-base': 'BERT-base',
  'choice.cluster.workload.bert-large': 'BERT-large',
  'choice.cluster.workload.gpt2-124m': 'GPT-2 124M',
  'choice.cluster.workload.gpt2-1.5b': 'GPT-2 1.5B',
  'choice.cluster.workload.llama3-8b': 'Llama 3 8B',
  'choice.cluster.workload.llama3-70b': 'Llama 3 70B',
  'choice.cluster.intraTopology.switch': 'Switch',
  'choice.cluster.intraTopology.mesh': 'Mesh',
  'choice.cluster.library.nccl': 'NCCL',
  'choice.cluster.library.gloo': 'Gloo',
} as const satisfies Readonly<Record<string, Message>>;

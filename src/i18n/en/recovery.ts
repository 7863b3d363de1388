/** @file Words for faults and recovery. */
import type { Message } from '../message.ts';

export const recovery = {
  'field.recovery.policy.label': 'When a rank is lost',
  'field.recovery.policy.line': 'The others go on, newcomers take the places, or the run ends.',
  'field.recovery.commitEvery.label': 'Commit every',
  'field.recovery.commitEvery.line': 'Steps between two copies of the state in each rank’s memory.',
  'field.recovery.timeoutSeconds.label': 'Timeout',
  'field.recovery.timeoutSeconds.line': 'Until a silent rank counts as lost, in cluster time.',
  'field.recovery.joinSeconds.label': 'Time to join',
  'field.recovery.joinSeconds.line': 'Until a newcomer stands ready, in cluster time.',
  'field.recovery.faults.label': 'Fault script',
  'field.recovery.faults.line': 'Faults by schedule, a line each: kind, ranks, step.',
  'field.stragglers.label': 'Stragglers',
  'field.stragglers.line': 'What makes ranks slow in cluster time, a line each.',
  'choice.recovery.policy.shrink': 'Go on with fewer',
  'choice.recovery.policy.replace': 'Replace it',
  'choice.recovery.policy.stop': 'Stop',
} as const satisfies Readonly<Record<string, Message>>;

export const recoveryMessages = {
  'group.recovery': 'Faults and recovery',
  'problem.script':
    'A list of up to {maximumLength} lines is allowed, each such as “{example}”: see (i) for the kinds.',
  'problem.stragglerRank': '“{line}” names rank {rank}; there are ranks 0 to {last}.',
  'problem.stragglerLoader':
    '“{line}” slows a loader that takes no time. Set cluster.loaderSamplesPerSecond above 0.',
  'problem.stragglersOrdered':
    'Under {sync} the order of the ranks follows sync.slowdowns and sync.jitter. Say there who is slow.',
  'problem.stragglerForm': '“{line}” cannot be. Write it as “{example}”.',
  'problem.faultRank':
    'At step {step} there is no rank {rank}: ranks 0 to {last} are left then. Name one of these.',
  'problem.faultStep':
    'The run has steps 0 to {last}, not {step}. Take an earlier one, or train for longer.',
  'problem.faultNeedsRanks':
    'At step {step} no rank would be left to go on with. Spare one, or choose stop.',
  'problem.recoveryNeedsAllReduce':
    'With {sync} the ranks have different weights between two averages, so none can stand in for another. Choose stop here.',
  'failure.lost': {
    one: 'Rank {ranks} was lost in step {step}, and the run is set to stop then. The log is kept.',
    other:
      'Ranks {ranks} were lost in step {step}, and the run is set to stop then. The log is kept.',
  },
  'failure.lostAll': 'No rank was left to go on with after step {step}. The log is kept.',
} as const satisfies Readonly<Record<string, Message>>;

/** @file Words for faults and recovery. */
import type { Message } from '../message.ts';

export const recovery = {
  'field.recovery.policy.label': 'When a rank is lost',
  'field.recovery.policy.line': 'The others go on, newcomers take the places, or the run ends.',
  'field.recovery.policy.help':
    'shrink re-forms the ring without the lost ranks and shares out the samples that are left, as Horovod elastic does. replace starts new workers, which receive the state from rank 0; stop is plain DDP: one rank gone ends the run.',
  'field.recovery.commitEvery.label': 'Commit every',
  'field.recovery.commitEvery.line': 'Steps between two copies of the state in each rank’s memory.',
  'field.recovery.commitEvery.help':
    'After a loss all ranks go back to the last commit they have in common; the steps since then are done again. Frequent commits lose less work and cost a copy each.',
  'field.recovery.faults.label': 'Fault script',
  'field.recovery.faults.line': 'Faults by schedule, a line each: kind, ranks, step.',
  'field.recovery.faults.help':
    '“kill 2 @ 40” terminates the worker of rank 2 in the middle of step 40; hang, link, split, nan and flip are the other kinds, “split 0+1 @ 40” names two ranks. After a loss the ranks that are left are numbered anew.',
  'choice.recovery.policy.shrink': 'Go on with fewer',
  'choice.recovery.policy.replace': 'Replace it',
  'choice.recovery.policy.stop': 'Stop',
} as const satisfies Readonly<Record<string, Message>>;

export const recoveryMessages = {
  'group.recovery': 'Faults and recovery',
  'problem.script':
    'A list of up to {maximumLength} lines is allowed, each such as “{example}”: kill, hang, link, split, nan or flip, then ranks, @ and a step.',
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

/** @file Words for synchronisation where ranks are not waited for, and for batches by speed. */
import type { Message } from '../message.ts';

export const server = {
  'field.sync.bound.label': 'Bound',
  'field.sync.bound.line': 'Gradients a rank may be ahead of the slowest.',
  'field.sync.splits.label': 'Splits',
  'field.sync.splits.line': 'n of n-softsync: floor(N / n) gradients make an update.',
  'field.sync.stalenessAware.label': 'By staleness',
  'field.sync.stalenessAware.line': 'Divide a gradient’s rate by its staleness.',
  'field.sync.backups.label': 'Backups',
  'field.sync.backups.line': 'Ranks of each step that are not waited for.',
  'field.sync.balance.label': 'Balance',
  'field.sync.balance.line': 'Equal batches, or batches by the ranks’ speeds.',
  'field.sync.slowdowns.label': 'Slow-downs',
  'field.sync.slowdowns.line': 'How many times slower each rank is, from rank 0 on.',
  'field.sync.jitter.label': 'Jitter',
  'field.sync.jitter.line': 'Spread of a gradient’s duration; 0 is none.',
  'choice.sync.kind.async': 'Asynchronous',
  'choice.sync.kind.ssp': 'SSP',
  'choice.sync.kind.backup': 'Backup workers',
  'choice.sync.balance.off': 'Equal',
  'choice.sync.balance.speeds': 'By speed',
} as const satisfies Readonly<Record<string, Message>>;

export const serverMessages = {
  'problem.sspBelowZero':
    'No rank can be ahead by less than nothing; 0 makes all ranks wait in every step. A whole number from {minimum} to {maximum} is allowed.',
  'problem.splitsOverReplicas':
    'Each split needs a replica, so at most {replicas} are allowed. Take fewer splits or more replicas.',
  'problem.backupsOverReplicas':
    'Of {replicas} replicas at least one must count, so at most {maximum} backups are allowed. Take fewer backups or more replicas.',
  'problem.slowdownsUnused':
    'With equal batches that all ranks wait for, slow-downs change nothing. Remove them, balance by speeds, or take async, ssp or backup.',
  'problem.slowdownsOverReplicas':
    'There are {replicas} replicas, so a list of at most {replicas} is allowed. Shorten it or take more replicas.',
  'problem.rankWithoutSamples':
    'Of the {total} samples of an epoch’s last step none is left for rank {rank}. Take other batches or smaller slow-downs.',
  'problem.serverIsStar':
    'Under {sync} rank 0 is a parameter server, which is a star. Take star, or another synchronisation.',
  'problem.compressionNeedsAllReduce':
    'Under {sync} gradients travel as they are; compressors work with the all-reduce of all ranks. Take none, or allReduce.',
  'problem.partsNeedNoSync':
    'Here not all ranks take part in every step alike, so parts of a batch cannot be reduced one by one. Switch noSync on, or take one micro-batch.',
  'problem.scaleNeedsAllRanks':
    'Dynamic loss scaling needs all ranks to see an overflow in the same step, which under {sync} they do not. Take fixed or none.',
  'problem.serverBroadcasts':
    'Under {sync} every rank takes its weights from the server, so nothing is left of its own. Switch this off, or take allReduce.',
  'unit.gradients': { one: '{count} gradient', other: '{count} gradients' },
} as const satisfies Readonly<Record<string, Message>>;

/** @file Data sets in memory, as they cross to the replicas. */
import type { TaskShape } from '#core/model';

/** Images: bytes 0..255, scaled by the batcher. Points: floats. Labels are class numbers. */
export interface LabelledSplit {
  readonly kind: 'labelled';
  readonly count: number;
  readonly x: Uint8Array | Float32Array;
  readonly y: Uint8Array;
}

/** A text as token ids. Sample i is the window [i*context, i*context + context], labels shifted by one. */
export interface TextSplit {
  readonly kind: 'text';
  readonly tokens: Uint8Array;
}

export type Split = LabelledSplit | TextSplit;

/** Batches from outside: x is [step][rank][sample][feature], y is [step][rank][sample]. */
export interface GivenSplit {
  readonly kind: 'given';
  readonly x: Float32Array;
  readonly y: Int32Array;
}

export interface Dataset {
  readonly name: string;
  readonly task: TaskShape;
  readonly train: Split;
  readonly test: Split;
  /** Text only: the character of each token id. */
  readonly alphabet?: string;
}

/** Samples of a split; a sample of text is one window of `context` tokens and their successors. */
export function sampleCount(split: Split | GivenSplit, context: number): number {
  switch (split.kind) {
    case 'labelled':
      return split.count;
    case 'text':
      return Math.max(0, Math.floor((split.tokens.length - 1) / context));
    case 'given':
      return split.y.length;
  }
}

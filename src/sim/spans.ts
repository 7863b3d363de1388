/** @file What a rank did when, in cluster time; timeline, trace and time split are made of these. */
import type { Ns } from './time.ts';

export type SpanKind =
  /** Waits for the data loader. */
  | 'data'
  | 'forward'
  | 'backward'
  /** Encodes or decodes a bucket. */
  | 'compression'
  /** A bucket's collective, from the moment at which the last rank took it up. */
  | 'communication'
  /** The rank took a bucket up and waits for ranks that have not. */
  | 'wait'
  | 'optimizer'
  | 'fault';

export interface Span {
  readonly rank: number;
  readonly kind: SpanKind;
  readonly startNs: Ns;
  readonly endNs: Ns;
  /** Of the kinds that concern one. */
  readonly bucket: number | null;
}

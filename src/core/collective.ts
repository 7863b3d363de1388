/**
 * @file A collective is a schedule: plain data. Replicas execute it on real bytes, the cluster
 * clock prices it, the inspector draws it, the tests check it.
 */

/** How the receiver combines what arrives with what it has. */
export type ReceiveOp = 'sum' | 'copy';

/** One message: rank `from` sends its present value of `chunk` to rank `to`. */
export interface Message {
  readonly from: number;
  readonly to: number;
  readonly chunk: number;
  readonly op: ReceiveOp;
}

/**
 * Messages of one step are independent of each other: every one carries the value its sender had
 * when the step began. A rank may go on to its next step without waiting for the others.
 */
export interface Schedule {
  readonly name: string;
  readonly worldSize: number;
  readonly chunks: number;
  readonly steps: readonly (readonly Message[])[];
}

/** A half-open range of elements of the flat vector. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

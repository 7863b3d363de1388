/**
 * @file What batch norms have the ranks tell each other: the statistics of synchronised ones within a
 * step [torch SyncBatchNorm], and rank 0's running statistics after it [DDP's broadcast_buffers].
 */
import { ringAllGather } from '#core/all-gather';
import { ringBroadcast } from '#core/broadcast';
import type { Range, Schedule } from '#core/collective';
import type { Plan } from '#core/plan';
import type { NormExchange } from '#engine/engine';
import type { Activity } from '#protocol/replica';
import type { ChannelBytes } from '#transport/channel';
import type { Endpoint } from '#transport/endpoint';
import { scheduleOf } from './reduction.ts';
import type { StepClock } from './step-clock.ts';

/** An exchange that a gradient may be computed over again with, on another device. */
export interface RepeatableExchange extends NormExchange {
  /** A new gradient begins. */
  begin(): void;
  /**
   * The gradient begins again: what was answered already is answered as before, for the other ranks
   * have gone on with it.
   */
  rewind(): void;
  /** Sent since the last call. */
  takeBytes(): ChannelBytes;
}

export interface ExchangeContext {
  readonly clock: StepClock;
  readonly activity: (activity: Activity) => void;
}

/** The exchange of a plan's synchronised norms; null where it has none, or one rank. */
export function createNormExchange(
  plan: Plan,
  endpoint: Endpoint,
  { clock, activity }: ExchangeContext,
): RepeatableExchange | null {
  const { model, worldSize } = plan;
  const isSynchronised = model.segments.some(
    ({ op }) => op.kind === 'batchNorm' && op.synchronised,
  );
  if (!isSynchronised || worldSize === 1) return null;
  const allReduce = scheduleOf(plan);
  const allGather = ringAllGather(worldSize);
  const sent = { allReduce: 0, allGather: 0 };
  const answers: (readonly Float32Array[])[] = [];
  let asked = 0;

  const run = async (kind: keyof ChannelBytes, schedule: Schedule, end: number): Promise<void> => {
    clock.lap('computeMs');
    activity('communicating');
    sent[kind] += await runCollective(endpoint, schedule, { start: 0, end });
    clock.lap('communicateMs');
    activity('computing');
  };
  /** The answer of before, or that of `work`. */
  const answer = async (work: () => Promise<readonly Float32Array[]>) => {
    const known = answers[asked++];
    if (known !== undefined) return known;
    const made = await work();
    answers.push(made);
    return made;
  };

  return {
    begin() {
      answers.length = 0;
      asked = 0;
    },
    rewind() {
      asked = 0;
    },
    takeBytes() {
      const bytes = { ...sent };
      Object.assign(sent, { allReduce: 0, allGather: 0 });
      return bytes;
    },
    gather: (values) =>
      answer(async () => {
        const { length } = values;
        endpoint.input.set(values, endpoint.rank * length);
        await run('allGather', allGather, worldSize * length);
        return Array.from({ length: worldSize }, (_, rank) =>
          endpoint.output.slice(rank * length, (rank + 1) * length),
        );
      }),
    async sum(values) {
      const [total = values] = await answer(async () => {
        endpoint.input.set(values);
        await run('allReduce', allReduce, values.length);
        return [endpoint.output.slice(0, values.length)];
      });
      return total;
    },
  };
}

/** Makes buffers those of rank `root`, in place; resolves with the bytes that this rank sent. */
export type BroadcastBuffers = (buffers: Float32Array, root: number) => Promise<number>;

/** Broadcasts whole: buffers are a few hundred bytes, of which latency is all that counts. */
export function createBufferBroadcast(endpoint: Endpoint): BroadcastBuffers {
  const schedules: Schedule[] = [];
  return async (buffers, root) => {
    schedules[root] ??= ringBroadcast(endpoint.worldSize, 1, root);
    const { length } = buffers;
    endpoint.input.set(buffers);
    const bytesSent = await runCollective(endpoint, schedules[root], { start: 0, end: length });
    buffers.set(endpoint.output.subarray(0, length));
    return bytesSent;
  };
}

async function runCollective(
  endpoint: Endpoint,
  schedule: Schedule,
  range: Range,
): Promise<number> {
  const running = endpoint.run(schedule, range);
  return (running instanceof Promise ? await running : running).bytesSent;
}

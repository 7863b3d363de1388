/** @file For tests: the real conductor and real replicas, in one thread, over ports. */

import type { Experiment } from '#experiment/experiment';
import { createConductor } from '#run/conductor';
import type { LogEvent, WallRecord } from '#run/log';
import { exposeService } from '#run/remote';
import type { ReplicaWorker } from '#run/replica-pool';
import type { ConductorService, GivenInputs, PageBatch } from '#run/service';
import { createReplica } from './replica/service.ts';

export interface FinishedRun {
  readonly events: readonly LogEvent[];
  readonly wall: readonly WallRecord[];
  readonly last: PageBatch;
  readonly conductor: ConductorService;
}

export interface RunOptions {
  readonly given?: GivenInputs;
  /** Called with every batch; may act on the conductor. */
  readonly onBatch?: (batch: PageBatch, conductor: ConductorService) => void;
}

/** Runs an experiment to its end and returns its log. Only the ports transport works here. */
export async function runInProcess(
  experiment: Experiment,
  options: RunOptions = {},
): Promise<FinishedRun> {
  const conductor = createConductor({
    spawnNested: spawnInProcess,
    isolated: false,
    now: () => performance.now(),
  });
  const events: LogEvent[] = [];
  const wall: WallRecord[] = [];
  const last = await new Promise<PageBatch>((resolve) => {
    const receive = async (batch: PageBatch): Promise<void> => {
      events.push(...batch.events);
      wall.push(...batch.wall);
      options.onBatch?.(batch, conductor);
      if (['finished', 'stopped', 'failed'].includes(batch.status)) resolve(batch);
    };
    const none = async (): Promise<never> => {
      throw new Error('no page here starts workers');
    };
    const host = { receive, spawnReplica: none, terminateReplica: none };
    void conductor.connect(host, true).then(() =>
      conductor.start(experiment, {
        paused: false,
        dataUrl: 'http://localhost/',
        given: options.given ?? null,
      }),
    );
  });
  return { events, wall, last, conductor };
}

function spawnInProcess(): ReplicaWorker {
  const channel = new MessageChannel();
  exposeService(createReplica(), channel.port1);
  return {
    port: channel.port2,
    terminate: () => {
      channel.port1.close();
      channel.port2.close();
    },
    onCrash: () => undefined,
  };
}

/** @file The transport tests' page: runs jobs on a team of Web Workers and judges the results. */
import {
  faultsOf,
  faultsOfAbort,
  type RankWorker,
  startJob,
  type TeamJob,
} from './transport-team.ts';

let team: { readonly worker: Worker; readonly rank: RankWorker }[] = [];

/** The first `worldSize` workers; kept from job to job, as survivors of an abort would be. */
function ranks(worldSize: number): RankWorker[] {
  while (team.length < worldSize) team.push(newRank());
  return team.slice(0, worldSize).map(({ rank }) => rank);
}

function newRank(): (typeof team)[number] {
  const worker = new Worker(new URL('./transport-worker.ts', import.meta.url), { type: 'module' });
  const rank: RankWorker = {
    post: (request, transferred) => worker.postMessage(request, transferred),
    listen: (handle) => {
      worker.onmessage = ({ data }) => handle(data);
    },
  };
  return { worker, rank };
}

const transportHarness = {
  isolated: () => globalThis.crossOriginIsolated,
  async run(worldSize: number, job: TeamJob) {
    const answers = await startJob(ranks(worldSize), job).answers;
    return {
      faults: faultsOf(job, answers),
      reports: answers.map(({ reports }) => reports),
      allocated: answers.map(({ allocated }) => allocated),
    };
  },
  abort: (worldSize: number, job: TeamJob) => faultsOfAbort(ranks(worldSize), job),
  dismiss() {
    for (const { worker } of team) worker.terminate();
    team = [];
  },
};

declare global {
  interface Window {
    transportHarness: typeof transportHarness;
  }
}

window.transportHarness = transportHarness;

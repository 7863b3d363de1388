/** @file Test page of the engine: each job in a worker of its own. */
import type { Outcome } from './engine-job.ts';

window.runEngineJob = (job) => {
  const worker = new Worker(new URL('./engine-worker.ts', import.meta.url), { type: 'module' });
  return new Promise<Outcome[]>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Outcome[]>) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage(job);
  }).finally(() => worker.terminate());
};
document.body.dataset.ready = 'true';

/** @file A rank of the transport tests in a Node thread. */
import { parentPort } from 'node:worker_threads';
import { serveRank } from './transport-rank.ts';

serveRank(
  (handle) => parentPort?.on('message', handle),
  (answer) => parentPort?.postMessage(answer),
);

/** @file A rank of the transport tests in a Web Worker. */
import { serveRank } from './transport-rank.ts';

serveRank(
  (handle) => self.addEventListener('message', ({ data }) => handle(data)),
  (answer) => self.postMessage(answer),
);

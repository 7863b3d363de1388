/** @file A replica worker: waits for a port from whoever started it, and serves on that. */
import { exposeService } from '#run/remote';
import { createReplica } from './replica/service.ts';

addEventListener(
  'message',
  (event) => {
    const port = event.ports[0];
    if (event.data === 'connect' && port !== undefined) exposeService(createReplica(), port);
  },
  { once: true },
);

/** @file Single vectors between rank 0 and another rank, through mailboxes in shared memory. */
import { ABORTED, type ArenaLayout, type Mailbox, TICK } from './arena.ts';
import { CollectiveAbortedError, type CollectiveReport } from './endpoint.ts';

export interface SharedMail {
  send(to: number, values: Float32Array): CollectiveReport;
  receive(from: number, into: Float32Array): void;
}

/** Rank `rank`'s mail in an arena. Its calls throw RangeError where there is no such mailbox. */
export function sharedMail(layout: ArenaLayout, rank: number): SharedMail {
  const { words } = layout;

  const wait = ({ word }: Mailbox, full: boolean): void => {
    for (;;) {
      const seen = Atomics.load(words, word);
      if ((seen & ABORTED) !== 0) throw new CollectiveAbortedError();
      if (((seen & TICK) !== 0) === full) return;
      Atomics.wait(words, word, seen);
    }
  };
  const pass = ({ word }: Mailbox): void => {
    Atomics.add(words, word, TICK);
    Atomics.notify(words, word);
  };

  return {
    send(to, values) {
      const box = mailbox(layout, rank, to);
      wait(box, false);
      box.values.set(values);
      pass(box);
      return { bytesSent: values.byteLength, messagesSent: 1 };
    },
    receive(from, into) {
      const box = mailbox(layout, from, rank);
      wait(box, true);
      into.set(box.values);
      pass(box);
    },
  };
}

function mailbox({ toServer, fromServer }: ArenaLayout, from: number, to: number): Mailbox {
  const box = to === 0 ? toServer[from] : from === 0 ? fromServer[to] : undefined;
  if (box !== undefined && from !== to) return box;
  throw new RangeError(`this arena has no mailbox from rank ${from} to rank ${to}`);
}

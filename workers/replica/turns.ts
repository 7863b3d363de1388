/** @file Lets the worker's other messages in between two steps of a busy loop. */

/** Resolves in a new task, after messages that are already waiting. */
export function createTurns(): () => Promise<void> {
  const { port1, port2 } = new MessageChannel();
  let resume: (() => void) | null = null;
  port1.onmessage = () => {
    const waiting = resume;
    resume = null;
    waiting?.();
  };
  return () =>
    new Promise((resolve) => {
      resume = resolve;
      port2.postMessage(null);
    });
}

import { expect, test } from 'vitest';
import { exposeService } from './remote.ts';
import { ReplicaGoneError, type ReplicaHandle, startReplicas, unlessGone } from './replica-pool.ts';

interface FakeWorker {
  readonly crash: (reason: string) => void;
  readonly terminated: () => boolean;
}

/** A replica whose `state` answers and whose `probe` never does. */
async function startOne(): Promise<{ replica: ReplicaHandle; worker: FakeWorker }> {
  const { port1, port2 } = new MessageChannel();
  exposeService({ probe: () => new Promise(() => {}), state: async () => 1 }, port1);
  let crash: (reason: string) => void = () => {};
  let terminated = false;
  const [replica] = await startReplicas(1, async () => ({
    port: port2,
    terminate: () => {
      terminated = true;
      port2.close();
    },
    onCrash: (listener) => {
      crash = listener;
    },
  }));
  if (replica === undefined) throw new Error('no replica');
  return { replica, worker: { crash: (reason) => crash(reason), terminated: () => terminated } };
}

test('RU-8 a call is answered, or fails once the worker is terminated', async () => {
  const { replica, worker } = await startOne();
  expect(await replica.ask((service) => service.state())).toBe(1);
  const pending = replica.ask(async (service) => await service.probe());
  replica.terminate();
  await expect(pending).rejects.toThrow(new ReplicaGoneError('the worker of rank 0 was ended'));
  expect(worker.terminated()).toBe(true);
  await expect(replica.ask(async (service) => await service.probe())).rejects.toThrow(
    ReplicaGoneError,
  );
});

test('RU-8 a call fails with the reason once the worker has crashed', async () => {
  const { replica, worker } = await startOne();
  const pending = replica.ask(async (service) => await service.probe());
  worker.crash('out of memory');
  await expect(pending).rejects.toThrow('the worker of rank 0: out of memory');
  expect(await replica.crashed).toBe('out of memory');
  replica.terminate();
});

test('only the end of a worker has a value instead', () => {
  expect(unlessGone('nothing')(new ReplicaGoneError('gone'))).toBe('nothing');
  expect(() => unlessGone('nothing')(new Error('a fault'))).toThrow('a fault');
});

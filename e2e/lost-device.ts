/** @file Takes GPU devices away from the lab's replicas, as a driver reset does. */
import type { Page } from '@playwright/test';
import { changeWorker, withoutNestedWorkers } from './lab.ts';

const CHANNEL = 'e2e: lose the device';

export interface Loss {
  /** Which of the replicas, in the order in which their workers were started. */
  readonly replicas: readonly number[];
  /** Whether the browser refuses WebGPU to them from then on, as it does after several crashes. */
  readonly forGood: boolean;
}

/** Runs before the replica's own script: keeps what the browser gives it, and gives it up when told. */
function prelude(nth: number): string {
  return `{
    const devices = [];
    const contexts = [];
    let refused = false;
    const { requestDevice } = GPUAdapter.prototype;
    GPUAdapter.prototype.requestDevice = async function (...given) {
      if (refused) throw new Error('refused by the test');
      const device = await requestDevice.apply(this, given);
      devices.push(device);
      return device;
    };
    const { getContext } = OffscreenCanvas.prototype;
    OffscreenCanvas.prototype.getContext = function (...given) {
      const context = getContext.apply(this, given);
      contexts.push(context);
      return context;
    };
    new BroadcastChannel('${CHANNEL}').onmessage = ({ data }) => {
      if (!data.replicas.includes(${nth})) return;
      refused = data.forGood;
      for (const device of devices.splice(0)) device.destroy();
      for (const context of contexts.splice(0))
        if (!context.isContextLost()) context.getExtension('WEBGL_lose_context').loseContext();
    };
  }`;
}

/**
 * Makes the replicas of the lab that is opened next listen to `loseDevices`. The page starts them:
 * Playwright does not see the scripts of workers that workers start.
 */
export async function letDevicesBeLost(page: Page): Promise<void> {
  await withoutNestedWorkers(page);
  await changeWorker(page, 'replica', prelude);
}

export async function loseDevices(page: Page, loss: Loss): Promise<void> {
  await page.evaluate(
    ([channel, data]) => {
      const sender = new BroadcastChannel(channel);
      sender.postMessage(data);
      sender.close();
    },
    [CHANNEL, loss] as const,
  );
}

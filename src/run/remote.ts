/** @file The one place where src/run meets comlink: calls across workers as promises. */
import * as Comlink from 'comlink';

export type Remote<T> = Comlink.Remote<T>;
export type RemotePort = Comlink.Endpoint;

/** The service that the other end of `port` exposes; every method answers with a promise. */
export function remoteService<T>(port: RemotePort): Remote<T> {
  return Comlink.wrap<T>(port);
}

/** Answers calls that arrive on `port` with `service`. */
export function exposeService(service: object, port: RemotePort): void {
  Comlink.expose(service, port);
}

/** Marks a function so that it stays here and the other end can call it. */
export function callback<T extends object>(value: T): T {
  return Comlink.proxy(value);
}

/** Hands `transfers` over with the message instead of copying them. */
export function withTransfer<T extends object>(value: T, transfers: Transferable[]): T {
  return Comlink.transfer(value, transfers);
}

/** @file Why a worker died, from the error event that its starter hears. */

/** The reason; a worker whose script could not be loaded gives a plain event, without a message. */
export function reasonOf(event: Event): string {
  return event instanceof ErrorEvent ? event.message : 'its script could not be loaded';
}

/** Whether the worker never ran: its script, or one that it imports, is missing or was refused. */
export function loadFailed(event: Event): boolean {
  return !(event instanceof ErrorEvent);
}

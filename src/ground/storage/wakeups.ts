/**
 * A channel by which processes on one storage tell each other that there is new work, so that it starts at once and not with the next poll. Rows stay the truth: a message that is lost,
 * doubled or late does no harm, as each process polls too.
 */
export interface Wakeups {
  /**
   * Sends topics to all that listen, in other processes and in this one. A topic is a short text, opaque to the channel: two topics are the same if their characters are. A service sends at most
   * every 20 ms, waits at most 500 ms for an answer, and ignores a rejection but for a line in its log.
   */
  send(topics: readonly string[]): Promise<void>;
  /**
   * Begins to listen.
   *
   * @param run called with topics that arrive; never throws
   * @param changed called with `false` when messages can no longer arrive, such as at the end of a connection, and with `true` when they can again, also once more when one
   * may be missing, such as of a process that has ended. It may be called before the promise resolves. A channel that never calls it counts as connected from then on; a service sends itself a message every 30 s, and notices if it does not arrive
   * @returns resolves also while the channel cannot connect, if it goes on trying. If it rejects, the service tries again every 30 s
   */
  listen(run: (topics: readonly string[]) => void, changed?: (isConnected: boolean) => void): Promise<WakeupListener>;
}

/** A listener of a channel. */
export interface WakeupListener {
  /** Stops listening; `run` and `changed` are not called afterwards. */
  close(): Promise<void>;
}
